import { describe, expect, test } from 'vitest'
import { createSealing } from '../../src/core/create-sealing.ts'
import type { StepMemory } from '../../src/state/step-memory.ts'
import { openedAt } from './opened-at.ts'
import type { Place } from './run-writer.ts'

interface OpenMemory {
  readonly memory: StepMemory
  close(): Promise<void>
}

/** What every step memory promises. It is opened for the runs of a service. */
export function stepMemorySuite(name: string, place: () => Place<OpenMemory, [service: string]>): void {
  describe(`step memory: ${name}`, () => {
    const KEY = { profile: 'local', pipeline: 'nightly', step: 'segment' }
    const { at, closeAll } = openedAt(place)
    const memoryAt = async (service: string) => (await at(service)).memory

    test('an entry is there for whoever opens the store next, exactly as it was set; the last one counts', async () => {
      const entry = {
        id: 9_223_372_036_854_775_807n,
        name: "Straße 😀 'x'",
        list: [1.5, null, { deep: true }],
        empty: {},
      }
      const memory = await memoryAt('a')
      await memory.set(KEY, { id: 1 })
      await memory.set(KEY, entry)
      expect(await memory.get(KEY)).toEqual(entry)
      await closeAll()
      expect(await (await memoryAt('a')).get(KEY)).toEqual(entry)
    })

    test('secrets are opened with the value that they had: with another one, the entry differs', async () => {
      const [summer, winter] = [createSealing({ SEASON: 'summer' }), createSealing({ SEASON: 'winter' })]
      const memory = await memoryAt('a')
      const key = { ...KEY, step: 'segment summer' }
      await memory.set(key, { campaign: 'a summer sale', id: 7 }, summer)
      expect(await memory.get(key, summer)).toEqual({ campaign: 'a summer sale', id: 7 })
      await memory.set(KEY, { campaign: 'a summer sale', id: 7 }, summer)
      expect(await memory.get(KEY, winter)).toEqual({ campaign: 'a *** sale', id: 7 })
      expect(await memory.get(KEY)).toEqual({ campaign: 'a *** sale', id: 7 })
    })

    test('what was not set is not there', async () => {
      expect(await (await memoryAt('a')).get(KEY)).toBeUndefined()
    })

    test('profiles, pipelines, steps and services have their own entries', async () => {
      const keys = [
        KEY,
        { ...KEY, profile: 'production' },
        { ...KEY, pipeline: 'nightly2' },
        { ...KEY, step: 'segment[de]' },
        { ...KEY, step: 'segment[DE]' },
      ]
      const [here, there] = [await memoryAt('a'), await memoryAt('b')]
      for (const [n, key] of keys.entries()) {
        await here.set(key, { n })
        await there.set(key, { n: n + 100 })
      }
      expect(await Promise.all(keys.map((key) => here.get(key)))).toEqual(keys.map((_, n) => ({ n })))
      expect(await Promise.all(keys.map((key) => there.get(key)))).toEqual(keys.map((_, n) => ({ n: n + 100 })))
    })

    test('two who set entries at once both keep theirs', async () => {
      const [one, other] = [await memoryAt('a'), await memoryAt('a')]
      const steps = Array.from({ length: 40 }, (_, n) => ({ ...KEY, step: `s${n}` }))
      await Promise.all(steps.map((key, n) => (n % 2 ? one : other).set(key, { n })))
      expect(await Promise.all(steps.map((key) => one.get(key)))).toEqual(steps.map((_, n) => ({ n })))
    })
  })
}
