import { EventEmitter } from 'node:events'
import type { FSWatcher } from 'chokidar'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { watchFolders } from '../../../src/triggers/watch/folder-events.ts'
import { until } from './watching.ts'

/** A watcher of a system that runs out of watches when it is told to. */
function listening() {
  const opened: EventEmitter[] = []
  const told: unknown[] = []
  let refusal: Error | undefined
  const openWatcher = () => {
    const watcher = Object.assign(new EventEmitter(), {
      add() {
        if (refusal) throw refusal
      },
      unwatch: () => undefined,
      close: async () => undefined,
    })
    opened.push(watcher)
    return watcher as unknown as FSWatcher
  }
  const events = watchFolders(
    { changed: (folder) => told.push(folder), failed: (error) => told.push(error) },
    systemClock,
    openWatcher,
  )
  const refuse = (error: Error) => {
    refusal = error
  }
  return { told, events, opened, refuse }
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
