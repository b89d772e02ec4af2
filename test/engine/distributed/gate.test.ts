import { expect, test } from 'vitest'
import { inBackground } from '../../../src/core/one-at-a-time.ts'
import { Gate } from '../../../src/engine/distributed/gate.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a gate lets in at most so many, in their order, and counts those that are entering', async () => {
  let inside = 1
  const gate = new Gate(
    () => 3,
    () => inside,
  )
  const begun: PromiseWithResolvers<void>[] = []
  const enter = () =>
    gate.enter(async () => {
      const held = Promise.withResolvers<void>()
      begun.push(held)
      await held.promise
      inside += 1
    })
  const all = [enter(), enter(), enter(), enter()]
  await settled()
  expect(begun).toHaveLength(2)
  // A caller that has entered stays inside from now on.
  begun[0]?.resolve()
  await settled()
  expect([inside, begun.length]).toEqual([2, 2])
  inside -= 1
  gate.hasRoom()
  await settled()
  expect(begun).toHaveLength(3)
  begun[1]?.resolve()
  begun[2]?.resolve()
  await settled()
  expect([inside, begun.length]).toEqual([3, 3])
  inside = 0
  gate.hasRoom()
  await settled()
  begun[3]?.resolve()
  await Promise.all(all)
  expect([inside, begun.length]).toEqual([1, 4])
})

test('work that fails leaves its place to the next', async () => {
  const gate = new Gate(
    () => 1,
    () => 0,
  )
  const failing = gate.enter(() => Promise.reject(new Error('x')))
  const next = gate.enter(async () => 7)
  await expect(failing).rejects.toThrow('x')
  expect(await next).toBe(7)
})

test('work that is asked for while it goes on is done once more after that, also if it fails', async () => {
  const begun: PromiseWithResolvers<void>[] = []
  const start = inBackground(() => {
    const held = Promise.withResolvers<void>()
    begun.push(held)
    return held.promise
  })
  for (let times = 0; times < 3; times += 1) start()
  await settled()
  expect(begun).toHaveLength(1)
  begun[0]?.reject(new Error('x'))
  await settled()
  expect(begun).toHaveLength(2)
  begun[1]?.resolve()
  await settled()
  expect(begun).toHaveLength(2)
  start()
  expect(begun).toHaveLength(3)
})
