import { expect, test } from 'vitest'
import { findTrigger, findTriggers, requireSchedule, unknownSchedule } from '../../src/acts/find-trigger.ts'
import { triggerName, triggerRefOf } from '../../src/core/occurrence.ts'
import type { LiveDocument } from '../../src/daemon/documents/live-documents.ts'
import { memoryOccurrenceStore } from '../support/memory-occurrence-store.ts'

const WHERE = { pipelines: '/p' }
const nameOf = (live: Parameters<typeof triggerRefOf>[0]) => triggerName(triggerRefOf(live))

function documentOf(name: string, ...triggers: readonly [id: string, kind: string][]): LiveDocument {
  const pipeline = { name, triggers: triggers.map(([id, kind]) => ({ id, kind })) }
  return { pipeline, folder: '/p', file: `/p/${name}.yaml` } as unknown as LiveDocument
}

const DOCUMENTS = [
  documentOf('weekly', ['sunday', 'schedule'], ['drop', 'watch']),
  documentOf('nightly', ['late', 'schedule'], ['early', 'schedule'], ['drop', 'watch']),
]

test.each([
  [{}, ['nightly/early', 'nightly/late', 'weekly/sunday']],
  [{ pipeline: 'nightly' }, ['nightly/early', 'nightly/late']],
  [{ pipeline: 'nightly', trigger: 'late' }, ['nightly/late']],
  [{ trigger: 'sunday' }, ['weekly/sunday']],
  [{ pipeline: 'weekly', trigger: 'drop' }, []],
  [{ pipeline: 'night' }, []],
])('the schedules that %o stands for, by name', (asked, names) => {
  expect(findTriggers(DOCUMENTS, 'schedule', asked).map(nameOf)).toEqual(names)
})

test.each([
  ['schedule', 'drop', 'no document in /p has a schedule nightly/drop'],
  ['watch', 'late', 'no document in /p has a watched folder nightly/late'],
] as const)('a trigger of another kind is not found: no %s is named %s', (kind, trigger, message) => {
  expect(() => findTrigger(DOCUMENTS, kind, { pipeline: 'nightly', trigger }, WHERE)).toThrow(
    expect.objectContaining({ code: 'unknown-trigger', kind: 'usage', message }),
  )
})

test.each([
  ['nigthly', DOCUMENTS, 'did you mean nightly?'],
  ['nightly', [], '`audience schedule list` shows all schedules'],
])('a name that no schedule has: %s', (name, documents, hint) => {
  const known = findTriggers(documents, 'schedule').map(triggerRefOf)
  const message = `no document in /p has a schedule ${name}`
  expect(unknownSchedule(name, known, WHERE)).toMatchObject({ code: 'unknown-schedule', message, hint })
})

test('a schedule is known while a document has it, and a removed one while its slots are due', async () => {
  const occurrences = memoryOccurrenceStore()
  const ref = { pipeline: 'nightly', trigger: 'gone' }
  const key = '2026-03-05T02:00:00.000Z'
  const check = (trigger: string) =>
    requireSchedule({ pipeline: 'nightly', trigger }, { documents: DOCUMENTS, occurrences, where: WHERE })
  const unknown = { code: 'unknown-trigger', kind: 'usage', message: 'no document in /p has a schedule nightly/gone' }
  await check('late')
  await expect(check('gone')).rejects.toMatchObject(unknown)
  await occurrences.note(ref, { occurrences: [{ key, at: Date.parse(key), state: 'due' }] })
  await check('gone')
  await expect(check('drop')).rejects.toMatchObject({ code: 'unknown-trigger' })
  await occurrences.note(ref, { occurrences: [{ key, at: Date.parse(key), state: 'skipped', reason: 'withdrawn' }] })
  await expect(check('gone')).rejects.toMatchObject(unknown)
})
