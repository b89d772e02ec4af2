import { expect, test } from 'vitest'
import { watchUnattendedRuns } from '../../src/daemon/watch-unattended-runs.ts'
import { systemClock } from '../../src/platform/clock.ts'

/** The log after two checks of two runs: one that this process cannot record, and one that nobody owns. */
async function logged({ isKeeper }: { isKeeper: boolean }): Promise<object[]> {
  const lines: object[] = []
  const note = (fields: object) => void lines.push(fields)
  const ended = new AbortController()
  let looks = 0
  const run = { pipeline: 'nightly', since: 0 }
  await watchUnattendedRuns(
    {
      runs: [
        { ...run, runId: 'a', why: 'stuck' },
        { ...run, runId: 'b', why: 'orphaned' },
      ],
      look: async () => undefined,
    } as never,
    {
      clock: {
        ...systemClock,
        sleep: async () => {
          looks += 1
          if (looks === 2) ended.abort()
        },
      },
      log: { error: note, info: note } as never,
      stateTrouble: async () => 'database or disk is full',
      isKeeper: () => isKeeper,
      signal: ended.signal,
    },
  )
  return lines
}

test('the log says once that no process is working on a run, and why the state cannot be written', async () => {
  expect(await logged({ isKeeper: true })).toEqual([
    expect.objectContaining({ runId: 'a', state: 'database or disk is full' }),
    expect.not.objectContaining({ state: expect.anything() }),
  ])
})

test('of many workers only the keeper says that nobody owns a run', async () => {
  expect(await logged({ isKeeper: false })).toEqual([expect.objectContaining({ runId: 'a' })])
})
