import { expect, onTestFinished, test, vi } from 'vitest'
import { roomFor, whileRoom } from '../../src/lists/disk-room.ts'

const disk = (bavail: number, blocks = 100, bsize = 1e6) => ({ blocks, bavail, bsize })
const open = () => new AbortController().signal

test.each([
  ['a disk that does not say how large it is', disk(0, 0), Number.MAX_SAFE_INTEGER],
  ['of a large disk 1 GB stays free', disk(3000, 1e6), 2e9],
  ['bytes are whole', disk(50, 101, 1), 44],
  ['one byte above what stays free', disk(6, 100, 1), 1],
])('the room for lists: %s', async (_what, said, room) => {
  expect(await roomFor('/', async () => said)).toBe(room)
})

test('reserved space does not count as room', async () => {
  await expect(roomFor('/', async () => disk(5, 100, 1))).rejects.toMatchObject({ code: 'list-disk-full' })
})

test('work does not begin on a full disk, and its own error stays', async () => {
  const work = vi.fn(() => Promise.reject(new Error('of the work')))
  await expect(whileRoom('/', open(), work, async () => disk(4))).rejects.toMatchObject({ code: 'list-disk-full' })
  expect(work).not.toHaveBeenCalled()
  await expect(whileRoom('/', open(), work, async () => disk(50))).rejects.toThrow('of the work')
})

test('a caller that stops the work gets its own reason, even on a full disk', async () => {
  const stop = new AbortController()
  let left = 50
  const work = async (signal: AbortSignal) => {
    left = 4
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    stop.abort()
    throw new Error('stopped')
  }
  await expect(whileRoom('/', stop.signal, work, async () => disk(left))).rejects.toThrow('stopped')
})

test('work ends soon after the disk is full, and nothing looks at the disk after that', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let left = 50
  const work = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const over = expect(whileRoom('/', open(), work, async () => disk(left))).rejects.toMatchObject({
    code: 'list-disk-full',
  })
  await vi.advanceTimersByTimeAsync(1000)
  left = 4
  await vi.advanceTimersByTimeAsync(1000)
  await over
  expect(vi.getTimerCount()).toBe(0)
})
