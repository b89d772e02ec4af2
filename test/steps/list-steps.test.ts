import { describe, expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { fastClock } from './support/fast-clock.ts'
import { memoryStepMemory } from './support/memory-step-memory.ts'
import { stepRun } from './support/step-run.ts'

/** A service whose lists have this many items, and the requests to it. */
function listing(count: number) {
  const asked: JsonObject[] = []
  const call = async (_: string, input: JsonObject) => {
    asked.push(input)
    return { segments: [{ id: '0' }], page: input.page ?? 0, pageSize: input.pageSize ?? 10, hasMore: true }
  }
  async function* items() {
    for (let index = 0; index < count; index += 1) yield { id: String(index) }
  }
  const api = { untyped: { call, items } } as unknown as ApiClient
  const services = {
    api,
    stepMemory: memoryStepMemory(),
    profile: 'test',
    clock: fastClock(1),
  } as unknown as StepServices
  return { services, asked }
}

describe('a list step', () => {
  test('gives the items of every page', async () => {
    const { services, asked } = listing(250)
    const outputs = await stepRun('segments.list', {}, services).go()
    expect(Object.keys(outputs)).toEqual(['segments'])
    expect(outputs.segments).toHaveLength(250)
    expect(asked).toEqual([])
  })

  test.each([{ page: 2 }, { pageSize: 50 }, { page: 2, pageSize: 50 }])(
    'gives the one page that it is asked for: %j',
    async (input) => {
      const { services, asked } = listing(250)
      const outputs = await stepRun('segments.list', input, services).go()
      expect(asked).toEqual([input])
      expect(outputs).toMatchObject({ segments: [{ id: '0' }], hasMore: true })
    },
  )

  test('fails rather than leave something out', async () => {
    expect((await stepRun('segments.list', {}, listing(10_000).services).go()).segments).toHaveLength(10_000)
    await expect(stepRun('segments.list', {}, listing(10_001).services).go()).rejects.toMatchObject({
      code: 'list-too-long',
      hint: expect.stringContaining('filter'),
    })
  })

  test('promises what it gives', () => {
    expect(stepTypes.get('matches.list')?.output.required).toEqual(['matches'])
    expect(stepTypes.get('matches.list')?.description).toContain('every page')
    expect(stepTypes.get('partners.list')?.description).not.toContain('every page')
  })
})
