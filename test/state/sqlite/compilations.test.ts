import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { watchCompilations } from '../../support/watch-compilations.ts'

const trigger = { pipeline: 'p', trigger: 't' }

test('what is asked all the time is not compiled anew', async () => {
  const compilations = watchCompilations()
  const state = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around })
  onTestFinished(() => state.journal.close())
  const { occurrences, outbox, runs } = state
  const asked = {
    'slots that are due': () => occurrences.due(trigger, 10),
    'occurrences that have ended': () => occurrences.ended(trigger, 10),
    'events to tell of': () => outbox.events(10),
    'messages that are due': () => outbox.due('ops', 5, 10),
    'runs to forget': () => runs.expired({ pipeline: 'p', before: 5, keep: 1, limit: 10 }),
    'records of a run': () => runs.records('r', 1),
  }
  const found: Record<string, number> = {}
  for (const [what, ask] of Object.entries(asked)) found[what] = await compilations(ask)
  expect(found).toEqual(Object.fromEntries(Object.keys(asked).map((what) => [what, 0])))
})
