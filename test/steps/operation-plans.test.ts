import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { type OperationId, operationOf, operations } from '../../src/contract/operations.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { StepPlanDeps } from '../../src/steps/define-step.ts'
import { operationStep } from '../../src/steps/operation-step.ts'

const ids = Object.keys(operations) as OperationId[]

/** The fields of an operation's path. */
function keysOf(id: OperationId): JsonObject {
  return Object.fromEntries([...operationOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, '7']))
}

/** A service that returns what is requested, and the requests to it. */
function asking(answer: JsonObject = {}) {
  const asked: OperationId[] = []
  const untyped = {
    call: async (id: OperationId) => {
      asked.push(id)
      return answer
    },
    async *items(id: OperationId) {
      asked.push(id)
      yield answer
    },
  }
  return { asked, deps: { api: { untyped }, signal: new AbortController().signal } as unknown as StepPlanDeps }
}

function planOf(
  id: OperationId,
  input: JsonObject,
  { deps, isKnown = true }: { deps: StepPlanDeps; isKnown?: boolean },
) {
  const unknown = isKnown ? [] : ['steps.a.outputs']
  return operationStep(id).plan(
    { stepId: 's', uses: id, input, unknown, known: isKnown ? input : undefined } as never,
    deps,
  )
}

const reads = ids.filter((id) => operationOf(id).method === 'GET')
const writes = ids.filter((id) => operationOf(id).method !== 'GET')

const ANSWER = { name: 'A' }

test.each(reads)('a plan of %s reads, and has its outputs', async (id) => {
  const { asked, deps } = asking(ANSWER)
  const { outputs, ...rest } = await planOf(id, keysOf(id), { deps })
  expect(rest).toEqual({ action: 'read', requests: [], complete: true })
  const { list } = operationOf(id)
  expect(outputs).toEqual(list?.paged ? { [list.items]: [ANSWER] } : ANSWER)
  expect(asked).toEqual([id])
  expect(await planOf(id, {}, { deps, isKnown: false })).toMatchObject({
    ...{ action: 'afterRun', why: 'it depends on steps.a.outputs', complete: false },
  })
  expect(asked).toHaveLength(1)
})

test.each(writes)('a plan of %s sends nothing, and says what it would send', async (id) => {
  const { asked, deps } = asking()
  const forecast = await planOf(id, keysOf(id), { deps })
  const [, verb = ''] = id.split('.')
  const action = ['create', 'update', 'refresh', 'delete'].includes(verb) ? verb : 'send'
  expect(forecast).toMatchObject({ action, outputs: {}, complete: false })
  expect(forecast.requests).toEqual([expect.objectContaining({ method: operationOf(id).method })])
  expect(asked).toEqual([])
})

test.each(writes)('a plan of %s reads nothing for fields that no read shows', async (id) => {
  const { asked, deps } = asking({ name: 'old' })
  expect((await planOf(id, { ...keysOf(id), name: 'new' }, { deps })).changes).toBeUndefined()
  expect(asked).toEqual([])
})

const SHOWN = { segmentName: 'A', segmentFileName: 'a.csv', cpm: 2 }
const named = [{ field: 'segmentName', from: 'A', to: 'B' }]

test.each<[OperationId, JsonObject, OperationId[], unknown]>([
  ['segments.update', { id: '7', segmentName: 'B', cpm: 2 }, ['segments.get'], named],
  [
    'segments.refresh',
    { id: '7', segmentFileName: 'b.csv' },
    ['segments.get'],
    [{ field: 'segmentFileName', from: 'a.csv', to: 'b.csv' }],
  ],
  ['segments.refresh', { id: '7' }, [], undefined],
  ['segments.update', { segmentName: 'B' }, [], undefined],
  ['segments.create', { segmentName: 'B' }, [], undefined],
  ['segments.share', { segmentId: '7', partnerId: 5 }, [], undefined],
  ['segments.delete', { id: '7' }, [], undefined],
])('a plan of %s with %j reads and shows what changes', async (id, input, reads, changes) => {
  const { asked, deps } = asking(SHOWN)
  expect((await planOf(id, input, { deps })).changes).toEqual(changes)
  expect(asked).toEqual(reads)
})

test('a plan of what is not there shows no changes', async () => {
  const request = { operation: 'segments.get', method: 'GET', path: '/api/segments/7' }
  const gone = new ApiError(request, { code: 'not-found', outcome: 'rejected', status: 404 })
  const call = () => Promise.reject(gone)
  const deps = { api: { untyped: { call } } } as unknown as StepPlanDeps
  expect(await planOf('segments.update', { id: '7', segmentName: 'B' }, { deps })).toMatchObject({
    ...{ action: 'update', changes: undefined },
  })
})
