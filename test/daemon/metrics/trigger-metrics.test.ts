import { expect, onTestFinished, test } from 'vitest'
import type { Firing } from '../../../src/core/fire.ts'
import type { OccurrenceState } from '../../../src/core/occurrence.ts'
import { type AccountedOccurrence, countOccurrences } from '../../../src/daemon/metrics/trigger-metrics.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { pipeline } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const nightly = pipeline([], { name: 'nightly' })
const trigger = { id: 'night' } as Firing['trigger']
const ref = { pipeline: 'nightly', trigger: 'night' }

function counted(outcome: OccurrenceState = 'ran') {
  const { journal, occurrences: triggers } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
  })
  onTestFinished(() => journal.close())
  const told: AccountedOccurrence[] = []
  const parts = countOccurrences(
    {
      kind: 'schedule',
      occurrenceStore: triggers,
      fire: async ({ key, at }) => {
        await triggers.note(ref, { occurrences: [{ key, at, state: outcome }] })
        return { ...ref, key, at, state: outcome }
      },
    },
    { tell: (one) => told.push(one), now: () => 10_000, startOf: (_, at) => at + 300 },
  )
  return { ...parts, told }
}

test('what is noted is told once it is accounted for, and not again', async () => {
  const { occurrenceStore, told } = counted()
  const occurrences = [
    { key: 'a', at: 1, state: 'missed', reason: 'down' },
    { key: 'b', at: 2, state: 'due' },
  ] as const
  await occurrenceStore.note(ref, { occurrences })
  await occurrenceStore.note(ref, { occurrences })
  expect(told.filter(({ state }) => state !== 'due')).toEqual([
    { kind: 'schedule', pipeline: 'nightly', state: 'missed' },
  ])
  expect((await occurrenceStore.find({ ...ref, key: 'b' }))?.state).toBe('due')
})

test.each(['ran', 'skipped', 'failed'] as const)(
  'what is fired and %s is told with how late it was, and not again',
  async (state) => {
    const { fire, told } = counted(state)
    const firing = { pipeline: nightly, trigger, key: 'a', at: 9000, values: {} }
    await fire(firing)
    await fire(firing)
    expect(told).toEqual([{ kind: 'schedule', pipeline: 'nightly', state, latenessMs: 700 }])
  },
)
