import { pino } from 'pino'
import { expect, test } from 'vitest'
import { watchService } from '../../../src/daemon/health/service-monitor.ts'

/** A monitor of a service, on a clock that the test advances. */
function sight(answers: (Error | undefined)[]) {
  const sleeps: number[] = []
  const waiting: (() => void)[] = []
  const logged: string[] = []
  let looks = 0
  const service = watchService({
    reach: async () => {
      const error = answers[Math.min(looks++, answers.length - 1)]
      if (error) throw error
    },
    clock: {
      now: () => 0,
      sleep: (ms, signal) => {
        sleeps.push(ms)
        return new Promise((resolve, reject) => {
          waiting.push(resolve)
          signal?.addEventListener('abort', () => reject(signal.reason))
        })
      },
    },
    log: pino({}, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    service,
    sleeps,
    logged,
    looks: () => looks,
    settle,
    async pass() {
      waiting.shift()?.()
      await settle()
    },
  }
}

test('it is not reachable before the first look, and then as that says', async () => {
  const { service, settle } = sight([undefined])
  expect(service.reason()).toBe('it has not been checked yet')
  await settle()
  expect(service.reason()).toBeUndefined()
  service.stop()
})

test('while it does not answer it is looked at more often, and the log has a line when that changes', async () => {
  const { service, settle, pass, sleeps, logged } = sight([new Error('refused'), new Error('refused'), undefined])
  await settle()
  expect(service.reason()).toBe('refused')
  await pass()
  await pass()
  expect(service.reason()).toBeUndefined()
  expect(sleeps).toEqual([10_000, 10_000, 60_000])
  expect(logged).toEqual(['the service cannot be reached', 'the service can be reached'])
  service.stop()
})

test('an answer to anybody spares a look; a connection that failed proves nothing', async () => {
  const { service, settle, pass, looks } = sight([undefined])
  await settle()
  service.onExchange({ operation: 'jobs.get', outcome: 'done', durationMs: 1 })
  await pass()
  expect(looks()).toBe(1)
  service.onExchange({ operation: 'files.upload', outcome: 'unknown', code: 'connection-lost', durationMs: 1 })
  expect(service.reason()).toBeUndefined()
  await pass()
  expect(looks()).toBe(2)
  service.stop()
})

test('an answer to anybody ends what an unreachable service is said to be', async () => {
  const { service, settle } = sight([new Error('refused')])
  await settle()
  service.onExchange({ operation: 'jobs.get', outcome: 'rejected', code: 'not-found', durationMs: 1 })
  expect(service.reason()).toBeUndefined()
  service.stop()
})
