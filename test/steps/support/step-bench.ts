import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import type { ApiClient } from '../../../src/adapter/api-client.ts'
import { createApiClient } from '../../../src/adapter/create-api-client.ts'
import { staticToken } from '../../../src/adapter/tokens.ts'
import { openLists } from '../../../src/lists/open-lists.ts'
import { openNamed } from '../../../src/platform/open-regular.ts'
import type { StepServices } from '../../../src/steps/define-step.ts'
import { createFakeEngine } from '../../service/support/fake-engine.ts'
import { startTestService, type TestService } from '../../service/support/start-test-service.ts'
import { type LosingProxy, losingProxy, type Passed } from '../../support/losing-proxy.ts'
import { fastClock } from './fast-clock.ts'
import { freeClaims } from './free-claims.ts'
import { memoryMadeThings } from './memory-made-things.ts'
import { memoryStepMemory } from './memory-step-memory.ts'

/** The service, a proxy in front of it that can lose requests and answers, and the dependencies of step types. */
export interface StepBench {
  readonly service: TestService
  readonly proxy: LosingProxy
  readonly services: StepServices & {
    readonly stepMemory: ReturnType<typeof memoryStepMemory>
    readonly made: ReturnType<typeof memoryMadeThings>
  }
  /** Bypasses the proxy. */
  readonly api: ApiClient
  /** The number of matching requests that the service has accepted. */
  accepted(fits: (request: Passed) => boolean): number
  /** Approves or rejects a job, as the other participant would. */
  decideJob(jobId: string, action: 'approve' | 'reject' | 'fail'): Promise<void>
  close(): Promise<void>
}

const noRuns = () => Promise.reject(new Error('no test here starts runs'))
const noChildRuns = { submit: noRuns, end: noRuns, cancelAll: noRuns }

/** How many times faster than real time the clock of steps and client runs. */
const FACTOR = 50
const HOUR_MS = 3_600_000

/** `beforeWork` holds the jobs of the service before their work. */
export async function openStepBench(hooks: { beforeWork?: () => Promise<void> } = {}): Promise<StepBench> {
  const service = await startTestService({ engine: createFakeEngine(hooks) })
  const proxy = await losingProxy(service.service.url)
  const token = JSON.parse(await readFile(join(service.dataDir, 'tokens.json'), 'utf8'))['1001']
  const clock = fastClock(FACTOR)
  const client = (baseUrl: string) =>
    createApiClient({
      baseUrl,
      token: staticToken(token),
      clock,
      random: Math.random,
      log: pino({ level: 'silent' }),
      redact: (text) => text,
      // Time runs fast while a busy machine answers late, and the client must not give up because of that.
      limits: { pollsPerSecond: 1000, retry: { totalMs: 10 * HOUR_MS } },
    })
  const api = client(service.service.url)
  const proxied = client(proxy.url)
  return {
    service,
    proxy,
    api,
    services: {
      ...{ api: proxied, stepMemory: memoryStepMemory(), profile: 'test', clock, childRuns: noChildRuns },
      claims: freeClaims,
      made: memoryMadeThings(),
      openFile: openNamed,
      openUpload: openNamed,
      lists: openLists({ folder: join(service.dataDir, 'lists'), sources: {}, suppress: [] }),
      membership: { record: async () => undefined, compare: async () => undefined },
      post: fetch,
      redact: (text) => text,
    },
    accepted: (fits) => proxy.passed.filter((request) => request.status < 300 && fits(request)).length,
    async decideJob(jobId, action) {
      const { status, text } = await service.control(`POST /jobs/${jobId}/${action}`)
      if (status !== 200) throw new Error(text)
    },
    async close() {
      await Promise.all([proxied.close(), api.close()])
      await proxy.close()
      await service.close()
    },
  }
}
