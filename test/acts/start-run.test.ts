import { expect, test } from 'vitest'
import { startOnce } from '../../src/acts/start-run.ts'
import type { RunRequest, Submission } from '../../src/core/engine.ts'

const request = { pipeline: { name: 'nightly' }, inputs: { day: '2026-11-27' } } as unknown as RunRequest

test.each<[string, Submission['state'], object | undefined, object]>([
  ['a new one', 'queued', undefined, { state: 'queued', runId: 'r' }],
  [
    'the same again',
    'existing',
    { pipeline: 'nightly', inputs: { day: '2026-11-27' } },
    { state: 'existing', runId: 'r' },
  ],
  ['the same, whose run is gone', 'existing', undefined, { state: 'existing', runId: 'r' }],
  ['other inputs', 'existing', { pipeline: 'nightly', inputs: { day: '2026-11-28' } }, { code: 'key-reused' }],
  ['another pipeline', 'existing', { pipeline: 'daily', inputs: { day: '2026-11-27' } }, { code: 'key-reused' }],
  ['a full group', 'refused', undefined, { code: 'group-busy' }],
])('a request with a key: %s', async (_, state, earlier, expected) => {
  const engine = { submit: async () => ({ runId: 'r', state }) as Submission }
  const runs = { submission: async () => earlier } as unknown as Parameters<typeof startOnce>[1]['runs']
  expect(await startOnce(request, { engine, runs }).catch((error: unknown) => error)).toMatchObject(expected)
})
