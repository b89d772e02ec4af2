import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { activationInput, type Nightly, nightly, people, segmentInput } from './support/nightly.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { type StepRun, stepRun } from './support/step-run.ts'

/** The state is on a slow disk. A step must wait for its writes before it sends a request or ends. */

let bench: StepBench
let night: Nightly
/** The active writes, and what was done meanwhile. */
let writing: string[]
let early: string[]
beforeEach(async () => {
  bench = await openStepBench()
  writing = []
  early = []
  const { services } = bench
  const { stepMemory, made, claims } = services
  bench = {
    ...bench,
    services: {
      ...services,
      stepMemory: { ...stepMemory, set: slowly('memory', stepMemory.set) },
      made: { ...made, note: slowly('note', made.note), forget: slowly('a lost request', made.forget) },
      claims: { ...claims, release: slowly('claim', claims.release) },
    },
  }
  night = nightly(bench)
  bench.proxy.lose('delay', ({ method, path }) => {
    watch(`${method} ${path}`)
    return false
  })
})
afterEach(() => bench.close())

function slowly<Given extends unknown[]>(what: string, write: (...given: Given) => Promise<void>) {
  return async (...given: Given) => {
    watch(what)
    writing.push(what)
    await sleep(20)
    await write(...given)
    writing.splice(writing.indexOf(what), 1)
  }
}

function watch(what: string): void {
  if (writing.length > 0) early.push(`${what} while ${writing.join()} is being written`)
}

/** The outputs of a step. Whenever it asks a person, the answer is that it was done. */
async function end(run: StepRun): Promise<JsonObject> {
  for (;;) {
    try {
      return await run.go().finally(() => watch('the end'))
    } catch (error) {
      if (!(error instanceof NeedsPersonError)) throw error
      run.decide('done')
    }
  }
}

const split = (controlHoldoutPercent: number) => ({ testControl: { controlHoldoutPercent } })
const activate = (segmentId: unknown, jobId: unknown, more: JsonObject = {}) =>
  stepRun('activations.ensure', { ...activationInput(segmentId, jobId), ...more }, bench.services, {
    stepId: 'activate',
  })

/** Two nights with new people, shares, splits and changed activations. */
async function twoNights(): Promise<void> {
  for (const count of [1, 2]) {
    const name = await night.upload(people(count))
    const { segmentId } = await end(night.segment(name, { shareWith: count === 1 ? [2001] : [2001, 2005] }))
    const { matchJobId } = await end(night.match(segmentId, split(10 * count)))
    await end(activate(segmentId, matchJobId, { onChange: 'replace', brand: `B${count}` }))
    await end(activate(segmentId, matchJobId, { onChange: 'keep', brand: 'C' }))
  }
}

test('in two nights', async () => {
  await twoNights()
  expect(early).toEqual([])
})

test('where the answer to every write is lost', async () => {
  const isLost = new Set<string>()
  const isFirst = ({ method, path, body }: { method: string; path: string; body: string }) => {
    const what = `${method} ${path} ${body}`
    if (method === 'GET' || path.startsWith('/api/files') || isLost.has(what)) return false
    isLost.add(what)
    return true
  }
  bench.proxy.lose('resetAfter', isFirst, 100)
  await twoNights()
  expect(isLost.size).toBeGreaterThan(8)
  expect(early).toEqual([])
})

test('where the service refuses', async () => {
  const input = { ...segmentInput('nobody.csv'), segmentFileName: 'nobody.csv' }
  for (const uses of ['segments.ensure', 'segments.create'])
    await expect(end(stepRun(uses, input, bench.services))).rejects.toMatchObject({ name: 'ApiError' })
  await expect(end(activate('nobody', 'nothing'))).rejects.toMatchObject({ name: 'ApiError' })
  expect(early).toEqual([])
})
