import { expect, test } from 'vitest'
import type { StepProgress, WaitContext } from '../../src/core/engine.ts'
import { PARKED, Waits } from '../../src/engine/waits.ts'

const told = (jobId: string) => ({ kind: 'job', jobId, status: 'RUNNING' }) as StepProgress

/** The waits of one run, with held work, and the attempts that were woken. */
function waiting() {
  const woken: string[] = []
  const waits = new Waits((runId) => woken.push(runId))
  const begun: (WaitContext & PromiseWithResolvers<string>)[] = []
  const begin = (context: WaitContext) => {
    const held = Promise.withResolvers<string>()
    begun.push({ ...context, ...held })
    return held.promise
  }
  /** An attempt that joins the wait. */
  const join = (key = 'k') => {
    const ending = new AbortController()
    const reports: StepProgress[] = []
    const { signal } = ending
    let isWaiting = true
    const over = () => {
      isWaiting = false
    }
    const end = waits.join('r', key, begin, { signal, report: (progress) => reports.push(progress), over })
    end.catch(() => undefined)
    return { end, reports, isWaiting: () => isWaiting, abort: (reason: unknown) => ending.abort(reason) }
  }
  return { waits, woken, begun, join }
}

/** An attempt that nobody stops. */
const ATTEMPT = { signal: new AbortController().signal, report: () => undefined, over: () => undefined }

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('an attempt hears the reports and gets the value, and nobody is woken', async () => {
  const { waits, woken, begun, join } = waiting()
  const { end, reports } = join()
  begun[0]?.report(told('1'))
  expect([reports, waits.size]).toEqual([[told('1')], 1])
  begun[0]?.resolve('value')
  expect(await end).toBe('value')
  expect([woken, waits.size, begun[0]?.signal.aborted]).toEqual([[], 0, false])
})

test('an attempt waits no more from the moment on in which its wait ends', async () => {
  const { waits, begun, join } = waiting()
  const [one, other] = [join('a'), join('b')]
  expect([one.isWaiting(), other.isWaiting()]).toEqual([true, true])
  begun[0]?.resolve('value')
  // A new promise would be one turn late.
  while (waits.size === 2) await Promise.resolve()
  expect([one.isWaiting(), other.isWaiting()]).toEqual([false, true])
  other.abort(PARKED)
  expect(other.isWaiting()).toBe(false)
})

test('an attempt gets the error of the work', async () => {
  const { begun, join, waits } = waiting()
  const { end } = join()
  begun[0]?.reject(new Error('gone'))
  await expect(end).rejects.toThrow('gone')
  expect(waits.size).toBe(0)
})

test('an attempt that is stopped ends the wait, with the reason', async () => {
  const { begun, join, waits } = waiting()
  const { end, abort } = join()
  const reason = new Error('cancelled')
  abort(reason)
  await expect(end).rejects.toBe(reason)
  expect([begun[0]?.signal.reason, waits.size]).toEqual([reason, 0])
})

test('the wait of a parked run goes on, wakes it for its news, and the next attempt gets all of them', async () => {
  const { waits, woken, begun, join } = waiting()
  const parked = join()
  parked.abort(PARKED)
  await expect(parked.end).rejects.toBe(PARKED)
  expect([begun[0]?.signal.aborted, waits.size, waits.hasNews('r')]).toEqual([false, 1, false])
  begun[0]?.report(told('1'))
  begun[0]?.report(told('2'))
  expect([woken, waits.hasNews('r'), waits.hasNews('other')]).toEqual([['r', 'r'], true, false])
  const next = join()
  expect([next.reports, waits.hasNews('r'), begun.length]).toEqual([[told('1'), told('2')], false, 1])
  begun[0]?.resolve('value')
  expect(await next.end).toBe('value')
  expect(parked.reports).toEqual([])
})

test('a wait that ends while its run is parked wakes it, and keeps its result for the next attempt', async () => {
  const { waits, woken, begun, join } = waiting()
  join().abort(PARKED)
  begun[0]?.resolve('value')
  await settled()
  expect([woken, waits.hasNews('r')]).toEqual([['r'], true])
  expect(await join().end).toBe('value')
  expect([begun.length, waits.size]).toEqual([1, 0])
})

test('an attempt that is stopped already ends the wait that it would have joined', async () => {
  const { waits, begun } = waiting()
  const begin = (context: WaitContext) => {
    begun.push({ ...context, ...Promise.withResolvers<string>() })
    return new Promise<string>(() => undefined)
  }
  const signal = AbortSignal.abort('late')
  await expect(waits.join('r', 'k', begin, { ...ATTEMPT, signal })).rejects.toBe('late')
  expect([waits.size, begun[0]?.signal.aborted]).toEqual([0, true])
})

test('waits of different keys end apart, and the end of a run ends them all', async () => {
  const { waits, woken, begun, join } = waiting()
  const [one, other] = [join('a'), join('b')]
  expect(waits.size).toBe(2)
  begun[0]?.resolve('first')
  expect(await one.end).toBe('first')
  expect([waits.size, begun[1]?.signal.aborted]).toEqual([1, false])
  other.abort(PARKED)
  waits.endAll('other', 'none of its business')
  expect(waits.size).toBe(1)
  waits.endAll('r', 'over')
  expect([waits.size, begun[1]?.signal.reason]).toEqual([0, 'over'])
  begun[1]?.resolve('nobody waits')
  await settled()
  expect(woken).toEqual([])
})

test('work that fails at once is a failure of the wait', async () => {
  const { waits } = waiting()
  const begin = (): Promise<string> => {
    throw new Error('at once')
  }
  await expect(waits.join('r', 'k', begin, ATTEMPT)).rejects.toThrow('at once')
})
