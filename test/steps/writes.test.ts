import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOperationId, operations } from '../../src/contract/operations.ts'
import { NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { reconcilers } from '../../src/steps/writes/reconcilers.ts'
import { isLong } from '../support/is-long.ts'
import type { Fault } from '../support/losing-proxy.ts'
import { crashPoints } from './support/crash-points.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { Crash, type CrashPoint, stepRun } from './support/step-run.ts'
import { WRITES, type WriteCase } from './support/write-cases.ts'

let bench: StepBench
beforeAll(async () => {
  bench = await openStepBench()
})
afterAll(() => bench.close())

const cases = Object.entries(WRITES)
let number = 0

test('every write of the contract is among the cases', () => {
  const writes = Object.entries(operations).filter(([, { method }]) => method !== 'GET')
  expect(writes.map(([id]) => id).sort()).toEqual(Object.keys(WRITES).sort())
})

test.each(cases)('%s takes effect once, wherever the process dies', async (id, write) => {
  const quiet = await happens(id, write, {})
  expectAsWanted(id, write, quiet, {})
  expect(quiet.records).toBeGreaterThanOrEqual(isUpdate(id) ? 1 : 2)
  const points = crashPoints(1, quiet.records)
  const ends = await Promise.all(points.map((crash) => happens(id, write, { crash })))
  // On a busy machine, the undisturbed run may have waited for another job, which adds a record.
  const passed = points.filter(({ record }, index) => ends[index]?.crashes === 0 && record <= ends[index].records)
  expect(passed).toEqual([])
  expect(ends.some(({ crashes }) => crashes > 0)).toBe(true)
  for (const [index, end] of ends.entries()) expectAsWanted(id, write, end, { ...points[index] })
  if (!isForAPerson(id)) expect(ends.filter(({ asked }) => asked > 0)).toEqual([])
})

const FAULTS: readonly Fault[] = ['resetBefore', 'resetAfter', 'errorBefore', 'errorAfter', 'delay']

test.each(cases)('%s takes effect once, whatever becomes of the request', async (id, write) => {
  const ends = await Promise.all(FAULTS.map((fault) => happens(id, write, { fault })))
  for (const [index, end] of ends.entries()) expectAsWanted(id, write, end, { fault: FAULTS[index] })
  const asked = FAULTS.filter((_, index) => (ends[index]?.asked ?? 0) > 0)
  if (isForAPerson(id)) expect(asked).toEqual(expect.arrayContaining(['resetBefore', 'errorBefore']))
  else expect(asked).toEqual([])
})

/** An update records only its answer, because sending it again changes nothing. */
function isUpdate(id: string): boolean {
  return isOperationId(id) && operations[id].method === 'PUT' && operations[id].repeat === 'always'
}

/** A thing that cannot be seen at the service may still exist, so its write is never sent again without a person. */
function isForAPerson(id: string): boolean {
  return isOperationId(id) && operations[id].repeat === 'never'
}

const reconciled = cases.filter(([id]) => id in reconcilers)

test.each(reconciled)('%s takes effect once when the answer is lost and then the process dies', async (id, write) => {
  const faults = ['resetBefore', 'resetAfter'] as const
  // The short form combines each death with only one of the two faults, and swaps the faults for the next write.
  const turn = reconciled.findIndex(([other]) => other === id)
  const all = crashPoints(2, 6).flatMap((crash, index) =>
    faults
      .filter((_, which) => isLong || (index + (index >> 1) + turn) % 2 === which)
      .map((fault) => ({ crash, fault })),
  )
  const ends = await Promise.all(all.map((trouble) => happens(id, write, trouble)))
  for (const [index, end] of ends.entries()) expectAsWanted(id, write, end, { ...all[index] })
})

test.each([
  ['segments.delete', { id: 'nobody' }],
  ['matches.delete', { matchId: '4711' }],
  ['activations.delete', { id: '4711' }],
  ['files.delete', { file: 'nobody.csv', uploadSignal: 'EMAIL', resultContent: 'BGID' }],
])('%s of what was never there fails; it is a success only where the step may have deleted it', async (id, input) => {
  await expect(stepRun(id, input, bench.services).go()).rejects.toMatchObject({ code: 'not-found' })
})

interface End {
  readonly outputs: JsonObject
  readonly effects: number
  readonly crashes: number
  /** The number of values that the step has recorded. */
  readonly records: number
  /** How often a person had to decide. */
  readonly asked: number
}

/**
 * Only writes that the contract allows clients to repeat may happen twice. If the second time makes a difference, the
 * outputs say so.
 */
function expectAsWanted(id: string, { gives, mostEffects = 1 }: WriteCase, end: End, trouble: object): void {
  const { outputs, effects } = end
  const what = JSON.stringify(trouble)
  expect(outputs, what).toMatchObject(gives)
  expect(effects, what).toBeGreaterThanOrEqual(1)
  expect(effects, what).toBeLessThanOrEqual(mostEffects)
  const isOnceMore = isOperationId(id) && operations[id].repeat === 'onceMore'
  if (isOnceMore && effects > 1) expect(outputs, what).toMatchObject({ repeated: true })
}

/** Runs a write to its end through a fault. Whenever a person has to decide, they check and answer truthfully. */
async function happens(id: string, write: WriteCase, trouble: { crash?: CrashPoint; fault?: Fault }): Promise<End> {
  if (!isOperationId(id)) throw new Error(id)
  const input = await write.arrange(bench, `write-${++number}-`)
  const run = stepRun(id, input, bench.services)
  const isIt = (request: Parameters<WriteCase['isIt']>[0]) => write.isIt(request, input)
  if (trouble.fault) bench.proxy.lose(trouble.fault, isIt)
  let crashes = 0
  let asked = 0
  for (let turn = 0; turn < 6; turn += 1) {
    try {
      const outputs = await run.go(crashes === 0 ? trouble.crash : undefined)
      return { outputs, effects: bench.accepted(isIt), crashes, records: run.records(), asked }
    } catch (error) {
      if (error instanceof Crash) crashes += 1
      else if (error instanceof NeedsPersonError) {
        asked += 1
        run.decide(bench.accepted(isIt) > 0 ? 'done' : 'again')
      } else throw error
    }
  }
  throw new Error('it does not end')
}
