import { expect, test } from 'vitest'
import { type OperationId, operationOf, operations } from '../../src/contract/operations.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { StepPlanDeps } from '../../src/steps/define-step.ts'
import { operationStep } from '../../src/steps/operation-step.ts'

const ids = Object.keys(operations) as OperationId[]

/** The fields of an operation's path. */
function keysOf(id: OperationId): JsonObject {
  return Object.fromEntries([...operationOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, '7']))
}

/** A service that shows what it is asked, and what was asked of it. */
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

test.each(reads)('a plan of %s reads, and has its outputs', async (id) => {
  const { asked, deps } = asking()
  expect(await planOf(id, keysOf(id), { deps })).toMatchObject({ action: 'read', requests: [], complete: true })
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

test.each(writes)('a plan of %s shows changes of what a read shows, and of nothing else', async (id) => {
  const { asked, deps } = asking({ name: 'old' })
  const { changes } = await planOf(id, { ...keysOf(id), name: 'new' }, { deps })
  expect(asked.filter((one) => operationOf(one).method !== 'GET')).toEqual([])
  expect(changes !== undefined).toBe(asked.length === 1)
  if (changes) expect(changes).toMatchObject([{ field: 'name' }])
})
