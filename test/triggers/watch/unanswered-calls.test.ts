import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { folderTrouble } from '../../../src/triggers/watch/folder-trouble.ts'
import { depsOf, until, watching } from './watching.ts'

test('a folder whose file system does not answer stands still, and readiness says so', async () => {
  const bench = watching()
  const clock = depsOf(bench).clock
  let isAway = true
  let isAsked = false
  let aheadMs = 0
  const answer = Promise.withResolvers<void>()
  const watcher = bench.start('settle: 400ms', {
    clock: { ...clock, steady: () => clock.steady() + aheadMs },
    disk: {
      ...localDisk,
      readdir: (async (...given: Parameters<typeof localDisk.readdir>) => {
        isAsked = true
        if (isAway) await answer.promise
        return localDisk.readdir(...given)
      }) as typeof localDisk.readdir,
    },
  })
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  expect(folderTrouble(watcher.status())).toBeUndefined()
  await until(() => isAsked)
  aheadMs = 3_600_000
  await until(() => /\(readdir in /.test(String(folderTrouble(watcher.status()))))
  expect(folderTrouble(watcher.status())).toMatch(/the file system has not answered for \d+ s \(readdir in /)
  expect(readdirSync(bench.inbox)).toEqual(['a.csv'])
  aheadMs = 0
  isAway = false
  answer.resolve()
  await until(() => bench.names('done').length === 1)
  await until(() => folderTrouble(watcher.status()) === undefined)
})
