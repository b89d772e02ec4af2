import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type { FSWatcher } from 'chokidar'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { watchFolders } from '../../../src/triggers/watch/folder-events.ts'
import { until } from './watching.ts'

/** A watcher on a system that runs out of watches when the test says so. */
function listening() {
  const opened: EventEmitter[] = []
  const told: unknown[] = []
  const added: string[] = []
  let refusal: Error | undefined
  const openWatcher = () => {
    const watcher = Object.assign(new EventEmitter(), {
      add(folder: string) {
        if (refusal) throw refusal
        added.push(folder)
      },
      unwatch: () => undefined,
      close: async () => undefined,
    })
    opened.push(watcher)
    return watcher as unknown as FSWatcher
  }
  const events = watchFolders(
    { changed: (folder) => told.push(folder), failed: (error) => told.push(error) },
    { ...systemClock, sleep: async () => undefined },
    openWatcher,
  )
  const refuse = (error: Error) => {
    refusal = error
  }
  return { told, events, opened, added, refuse }
}

test('the system’s refusal is told: when it comes later, and when a folder is added', async () => {
  const { told, events, opened, refuse } = listening()
  events.add('/in')
  await until(() => opened.length === 1)
  const exhausted = Object.assign(new Error('no watches left'), { code: 'ENOSPC' })
  opened[0]?.emit('error', exhausted)
  expect(told).toEqual([exhausted])
  const tooMany = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  refuse(tooMany)
  await until(() => {
    events.add('/other')
    return told.length > 1
  })
  expect(told).toContain(tooMany)
  await events.close()
})

test('a change in a folder, and of it, is told; one elsewhere is not', async () => {
  const { told, events, opened } = listening()
  events.add('/in')
  await until(() => opened.length === 1)
  for (const path of ['/in', '/in/a.csv', '/elsewhere/a.csv']) opened[0]?.emit('all', 'add', path)
  expect(told).toEqual(['/in', '/in'])
  await events.close()
})

test('folders that come later are watched, too, by one watcher; those that went before their turn are not', async () => {
  const { events, opened, added } = listening()
  for (const folder of ['/a', '/b', '/gone']) events.add(folder)
  events.remove('/gone')
  await turn()
  expect(added).toEqual(['/a', '/b'])
  events.add('/later')
  await turn()
  expect([added, opened.length]).toEqual([['/a', '/b', '/later'], 1])
  await events.close()
})
