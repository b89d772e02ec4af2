import { utimesSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { Inbox } from '../../../src/triggers/watch/inbox.ts'
import type { TriggerFiles } from '../../../src/triggers/watch/trigger-files.ts'
import type { WatchDeps } from '../../../src/triggers/watch/watch.ts'
import { WatchTriggers } from '../../../src/triggers/watch/watch-triggers.ts'
import { DROP, depsOf, until, watching } from './watching.ts'

test('a sweep tells when the name belongs to another folder, and not when the folder has changed or is away', async () => {
  let now: { readonly ino: number; readonly mtimeMs: number } | undefined
  const stat = async () => now ?? Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
  const inbox = new Inbox(watching().watch(), { disk: { stat } } as unknown as WatchDeps, {} as never, {} as never)
  // It sweeps but does not look at the files.
  await inbox.close()
  const told: boolean[] = []
  for (const next of [
    { ino: 7, mtimeMs: 1 },
    { ino: 7, mtimeMs: 1 },
    { ino: 7, mtimeMs: 2 },
    { ino: 8, mtimeMs: 2 },
    undefined,
    { ino: 8, mtimeMs: 2 },
  ]) {
    now = next
    told.push(await inbox.sweep())
  }
  expect(told).toEqual([true, false, false, true, false, true])
})

/** An inbox that takes nothing. `sweep` returns whether it looked at the folder. */
function sweptInbox() {
  const bench = watching()
  const deps = { ...depsOf(bench), disk: localDisk, watchFolders: undefined as never }
  const state = { isRefused: false, room: 1 }
  const counts = { begun: 0, ended: 0, recovered: 0 }
  const checkFile = (path: string) => {
    if (path === bench.inbox) counts.begun += 1
    if (state.isRefused) throw new Error('not allowed')
  }
  /** It pauses after each look. */
  const sleep = async () => {
    counts.ended += 1
  }
  const recover = async () => {
    counts.recovered += 1
  }
  const files = {
    recover,
    get room() {
      return state.room
    },
  } as unknown as TriggerFiles
  const watch = bench.watch()
  const around = new WatchTriggers(localDisk, deps.clock)
  around.replace([watch])
  const inbox = new Inbox(watch, { ...deps, checkFile, clock: { ...deps.clock, sleep } }, files, around)
  onTestFinished(() => inbox.close())
  const sweep = async () => {
    const before = counts.ended
    await inbox.sweep()
    await until(() => counts.ended === counts.begun)
    await new Promise(setImmediate)
    return counts.ended > before
  }
  return { bench, inbox, state, counts, sweep, sweeps: async () => [await sweep(), await sweep(), await sweep()] }
}

test('after a folder has changed two sweeps look at it, for a file may come within the tick of the first look', async () => {
  const { bench, sweeps } = sweptInbox()
  utimesSync(bench.inbox, 1, 1)
  expect([await sweeps(), await sweeps()]).toEqual([
    [true, true, false],
    [false, false, false],
  ])
  utimesSync(bench.inbox, 2, 2)
  expect(await sweeps()).toEqual([true, true, false])
})

test('every sweep looks at a folder whose files wait, or that has a problem', async () => {
  const { bench, inbox, state, sweep, sweeps } = sweptInbox()
  await sweeps()
  const stays = async () => {
    inbox.wake()
    return [await sweep(), ...(await sweeps())]
  }
  state.room = 0
  expect(await stays()).toEqual([true, true, true, true])
  state.room = 1
  expect(await sweeps()).toEqual([true, false, false])
  await bench.occurrenceStore.pause(DROP, 0)
  expect(await stays()).toEqual([true, true, true, true])
  await bench.occurrenceStore.unpause(DROP)
  expect(await sweeps()).toEqual([true, false, false])
  state.isRefused = true
  expect(await stays()).toEqual([true, true, true, true])
  state.isRefused = false
  expect(await sweeps()).toEqual([true, false, false])
})

test('what an earlier process took is searched by the first look that can, and by no other', async () => {
  const { state, counts, sweep, sweeps } = sweptInbox()
  state.isRefused = true
  await sweep()
  expect(counts.recovered).toBe(0)
  Object.assign(state, { isRefused: false, room: 0 })
  expect(await sweeps()).toEqual([true, true, true])
  expect(counts.recovered).toBe(1)
})
