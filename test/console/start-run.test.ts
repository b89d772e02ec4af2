import { expect, test } from 'vitest'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { startHandlers } from '../../src/console/server/handlers/start-run.ts'

const CALL = { actor: { by: 'ana', role: 'operator', address: '1.2.3.4' } } as unknown as ApiCall

test.each([
  ['a run', startHandlers['runs.start']],
  ['a plan', startHandlers['plan.make']],
])('for %s, the secrets of its document are known before all else', async (_what, handle) => {
  const pipeline = { name: 'p', file: '/p/p.yaml', inputs: {}, triggers: [] }
  const told: unknown[] = []
  const deps = {
    documents: () => new Map([['p', { pipeline, folder: '/p', file: '/p/p.yaml' }]]),
    protect(one: unknown) {
      told.push(one)
      throw new Error('a secret is not there')
    },
  } as unknown as ConsoleDeps
  const asked = (async () => handle(deps, { pipeline: 'p' }, CALL))()
  await expect(asked).rejects.toThrow('a secret is not there')
  expect(told).toEqual([pipeline])
})
