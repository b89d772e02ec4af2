import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { OwnFolders } from '../../../src/triggers/watch/own-folders.ts'
import { listTaken, takenFolder } from '../../../src/triggers/watch/taken-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** The names of the taken files below a folder that contains these. */
async function listed(make: (into: string) => void) {
  const into = takenFolder(tempFolder(), { pipeline: 'drops', trigger: 'drop' })
  mkdirSync(dirname(into), { mode: 0o700 })
  make(into)
  const ownFolders = new OwnFolders(localDisk, { steady: () => 0 }, async (path) => path)
  const files = await listTaken({ disk: localDisk, ownFolders }, into)
  return { into, files: files.map(({ ticket, key, name }) => [ticket, key, name]) }
}

test('the files that an earlier process took are those of the folders with tickets, oldest first', async () => {
  const { into, files } = await listed((folder) => {
    for (const ticket of ['2-b~abc', '1-a', '3-left', 'other']) mkdirSync(join(folder, ticket), { recursive: true })
    for (const path of ['2-b~abc/b.csv', '1-a/a.csv', 'other/c.csv']) writeFileSync(join(folder, path), 'x')
    // Somebody else put these there.
    const elsewhere = tempFolder()
    writeFileSync(join(elsewhere, 'secret'), 'x')
    symlinkSync(elsewhere, join(folder, '4-link'))
    writeFileSync(join(folder, '5-file'), 'x')
  })
  expect(files).toEqual([
    ['1-a', '1-a', 'a.csv'],
    ['2-b', 'abc', 'b.csv'],
  ])
  expect(readdirSync(into).sort()).toEqual(['1-a', '2-b~abc', '4-link', '5-file', 'other'])
})

test.each<[string, (into: string) => void]>([
  ['nothing', () => undefined],
  ['a file', (into) => writeFileSync(into, 'x')],
  ['a link to a folder', (into) => symlinkSync(tempFolder(), into)],
])('where the folder would be is %s: no file was taken', async (_, make) => {
  expect((await listed(make)).files).toEqual([])
})
