import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StepContext, WaitContext } from '../../src/core/engine.ts'
import { garbageCollector } from '../../src/platform/release-memory.ts'
import { waitForJob } from '../../src/steps/await-job.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { testClient } from '../adapter/test-client.ts'

test('what waits for a job keeps nothing of the run, so that a parked run takes no memory', async () => {
  await using server = await scriptedServer(() => ({ json: { id: '7', status: 'SUCCESS' } }))
  await using client = testClient(server.url)
  const begun: ((deps: WaitContext) => Promise<unknown>)[] = []
  const run = new WeakRef(beginWait())
  await setImmediate()
  garbageCollector()({ type: 'major', execution: 'sync' })
  expect(run.deref()).toBeUndefined()
  expect(await begun[0]?.({ signal: new AbortController().signal, report: () => undefined })).toMatchObject({ id: '7' })

  function beginWait(): object {
    const context = {
      assertOwned: () => undefined,
      wait: (_name: string, begin: (typeof begun)[number]) => {
        begun.push(begin)
        return new Promise(() => undefined)
      },
    }
    const services = { api: client.api.guardedBy(context.assertOwned) }
    void waitForJob('7', {
      awaitRule: { timeoutMs: 1000, approvalTimeoutMs: 1000, poll: { initialMs: 1, maxMs: 1 }, accept: ['SUCCESS'] },
      operation: 'segments.create',
      context: context as unknown as StepContext,
      services: services as unknown as StepServices,
    })
    return context.assertOwned
  }
})
