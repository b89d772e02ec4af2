import { expect, test } from 'vitest'
import { type RunStart, startText } from '../../../src/core/format/start-text.ts'

const at = (time: string) => ({ submittedAt: Date.parse(time) })
const NIGHT = { triggerKind: 'schedule', triggerLabel: 'night 2026-11-22 02:00 America/New_York' }
const KIRITIMATI = { triggerKind: 'schedule', triggerLabel: 'night 2026-11-22 02:00 Pacific/Kiritimati' }

test.each<[string, Partial<RunStart>, string]>([
  ['a slot', { ...NIGHT, ...at('2026-11-22T07:00:04Z') }, 'slot 02:00 of night (America/New_York)'],
  [
    'a slot far in the east',
    { ...KIRITIMATI, ...at('2026-11-21T12:00:04Z') },
    'slot 02:00 of night (Pacific/Kiritimati)',
  ],
  [
    'a slot of the day before, with its date',
    { ...KIRITIMATI, ...at('2026-11-22T12:00:04Z') },
    'slot 2026-11-22 02:00 of night (Pacific/Kiritimati)',
  ],
  [
    'a slot that a backfill made up for',
    { ...NIGHT, ...at('2026-12-24T07:00Z') },
    'slot 2026-11-22 02:00 of night (America/New_York)',
  ],
  ['a label of another form', { ...NIGHT, triggerLabel: 'night' }, 'slot night'],
  ['a file', { triggerKind: 'watch', triggerLabel: 'list 1.csv' }, 'file list 1.csv'],
  ['another run', { triggerKind: 'run', triggerLabel: '20261122t102203-x7f3kq' }, 'run 20261122t102203-x7f3kq'],
  ['a person', { startedBy: 'Ana' }, 'by hand, Ana'],
  ['a person without a name', {}, 'by hand'],
  ['a retry', { ...NIGHT, seededFrom: 'r1', startedBy: 'Ana' }, 'retry of r1, by Ana'],
  ['a retry of nobody', { seededFrom: 'r1' }, 'retry of r1'],
])('what started a run: %s', (_what, start, text) => {
  expect(startText({ triggerKind: 'manual', triggerLabel: '', ...at('2026-11-22T00:00Z'), ...start })).toBe(text)
})
