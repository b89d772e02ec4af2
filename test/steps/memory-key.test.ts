import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { matchKey } from '../../src/steps/match-memory.ts'
import { memoryKey, remember } from '../../src/steps/memory-key.ts'
import { endWork } from '../../src/steps/segment-work.ts'
import { memoryStepMemory } from './support/memory-step-memory.ts'

/** A step memory, and the writes to it. */
function watched() {
  const stepMemory = memoryStepMemory()
  const written: JsonObject[] = []
  const set: typeof stepMemory.set = (key, entry) => {
    written.push(entry)
    return stepMemory.set(key, entry)
  }
  const services = { stepMemory: { ...stepMemory, set }, profile: 'test' } as unknown as StepServices
  return { services, written }
}

test('an entry is written when it is new or differs, and not when it is there', async () => {
  const { services, written } = watched()
  const key = memoryKey({ pipeline: 'nightly', stepId: 'match' }, services, '7')
  for (const build of ['a', 'a', 'b', 'b', 'a']) await remember(services, key, { build })
  expect(written).toEqual([{ build: 'a' }, { build: 'b' }, { build: 'a' }])
})

test('the end of work of which nothing is remembered writes nothing', async () => {
  const { services, written } = watched()
  await endWork('autos', services)
  expect(written).toEqual([])
})

test('a match is remembered whatever the order of its scopes, apart from those of other scopes and segments', () => {
  const keyOf = (segmentId: string, ...deliveryScopes: string[]) =>
    matchKey({ segmentId, groupId: '9', deliveryScopes }, { pipeline: 'nightly', stepId: 'match' }, { profile: 'test' })
  const key = keyOf('7', 'CABLE', 'IPTV')
  for (const same of [keyOf('7', 'IPTV', 'CABLE'), keyOf('7', 'IPTV', 'CABLE', 'IPTV')]) expect(same).toEqual(key)
  for (const other of [keyOf('7', 'CABLE'), keyOf('8', 'CABLE', 'IPTV')]) expect(other).not.toEqual(key)
})
