import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a file is removed; one that is missing is an error, unless that is as good; what is no file stays', async () => {
  const folder = tempFolder()
  const [file, other] = [join(folder, 'a.csv'), join(folder, 'other')]
  writeFileSync(file, 'x')
  mkdirSync(other)
  await localDisk.rm(file)
  expect(existsSync(file)).toBe(false)
  await expect(localDisk.rm(file)).rejects.toMatchObject({ code: 'ENOENT' })
  await localDisk.rm(file, { force: true })
  await expect(localDisk.rm(other, { force: true })).rejects.toThrow()
  expect(existsSync(other)).toBe(true)
})
