import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SharedOpenings } from '../../../src/triggers/watch/shared-openings.ts'

/** Folders that are opened and closed when the test says so. */
function openings() {
  let now = 0
  const told: string[] = []
  const closing: PromiseWithResolvers<void>[] = []
  const shared = new SharedOpenings({ steady: () => now }, async (path) => {
    told.push(`open ${path}`)
    if (path === 'gone') throw new Error('gone')
    const close = () => {
      told.push(`close ${path}`)
      const one = Promise.withResolvers<void>()
      closing.push(one)
      return one.promise
    }
    return { file: { close } as never }
  })
  return {
    shared,
    told,
    closing,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('work at the same time shares a folder, and the last of it ends once that is closed', async () => {
  const { shared, told, closing } = openings()
  const works = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const ended: string[] = []
  const ends = works.map(({ promise }) => shared.within('a', () => promise).then((end) => ended.push(end)))
  await turn()
  expect([told, shared.isShared('a')]).toEqual([['open a'], true])
  works[0]?.resolve('first')
  await turn()
  works[1]?.resolve('second')
  await turn()
  expect([told, ended, shared.isShared('a')]).toEqual([['open a', 'close a'], ['first'], false])
  closing[0]?.resolve()
  await Promise.all(ends)
  expect(ended).toEqual(['first', 'second'])
})

test('a folder that has been open for a second is opened again, and each is closed by its own', async () => {
  const { shared, told, closing, pass } = openings()
  const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const begin = (at: number) => shared.within('a', async () => works[at]?.promise)
  const ends = [begin(0)]
  await turn()
  pass(999)
  expect(shared.isShared('a')).toBe(true)
  pass(1)
  expect(shared.isShared('a')).toBe(false)
  ends.push(begin(1))
  await turn()
  works[0]?.resolve()
  await turn()
  expect(told).toEqual(['open a', 'open a', 'close a'])
  // The end of the first did not close the second.
  ends.push(begin(2))
  await turn()
  expect(told).toHaveLength(3)
  for (const work of works) work.resolve()
  await turn()
  for (const one of closing) one.resolve()
  await Promise.all(ends)
  expect(told.slice(3)).toEqual(['close a'])
})

test('a folder that cannot be opened fails the work, and is tried again', async () => {
  const { shared, told } = openings()
  await expect(shared.within('gone', async () => 1)).rejects.toThrow('gone')
  await expect(shared.within('gone', async () => 1)).rejects.toThrow('gone')
  expect(told).toEqual(['open gone', 'open gone'])
})
