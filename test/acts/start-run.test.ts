import { expect, test } from 'vitest'
import { startOnce } from '../../src/acts/start-run.ts'
import type { Submission } from '../../src/core/engine.ts'
import type { WantedRun } from '../../src/runs/prepare-run.ts'

const wanted = {
  pipeline: { name: 'nightly', runGroups: [] },
  inputs: { day: '2026-11-27' },
  trigger: { kind: 'manual' },
} as unknown as WantedRun

test.each<[string, Submission['state'], object | undefined, object]>([
  ['a new one', 'queued', undefined, { state: 'queued', runId: 'r' }],
  [
    'the same again',
    'existing',
    { pipeline: 'nightly', inputs: { day: '2026-11-27' } },
    { state: 'existing', runId: 'r' },
  ],
  ['the same, whose run is gone', 'existing', undefined, { state: 'existing', runId: 'r' }],
  [
    'other inputs',
    'existing',
    { pipeline: 'nightly', inputs: { day: '2026-11-28' } },
    { code: 'key-reused', message: 'this X-Key started run r of nightly with other inputs' },
  ],
  ['another pipeline', 'existing', { pipeline: 'daily', inputs: { day: '2026-11-27' } }, { code: 'key-reused' }],
  ['a full group', 'refused', undefined, { code: 'group-busy' }],
])('a request with a key: %s', async (_, state, earlier, expected) => {
  const engine = { submit: async () => ({ runId: 'r', state }) as Submission }
  const deps = {
    ...{ engine, state: { runs: { submission: async () => earlier } } },
    ...{ clock: { now: () => 0 }, random: () => 0, gitVersionOf: async () => undefined, uploadersOf: () => [] },
  } as unknown as Parameters<typeof startOnce>[2]
  expect(await startOnce(wanted, { keyName: 'X-Key' }, deps).catch((error: unknown) => error)).toMatchObject(expected)
})
