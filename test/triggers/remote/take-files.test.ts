import { expect, test } from 'vitest'
import { hintOf } from '../../../src/core/remote-source.ts'
import { locateFile } from '../../../src/triggers/remote/take-files.ts'
import { folderSource } from '../../support/folder-source.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const { signal } = new AbortController()

test('a file that another process takes between two looks is found where it was taken', async () => {
  const folder = tempFolder()
  await remoteFolder(folder).put('in/a.csv', 'a@example.com\n')
  const other = folderSource(folder)
  const file = await other.look('in/a.csv', { signal })
  if (!file) throw new Error('the file is missing')
  const before = async (_act: unknown, path: string) => {
    if (path === file.path) await other.take(file, { ticket: 't', signal })
  }
  const place = await locateFile(
    folderSource(folder, { before }),
    { path: file.path, hint: hintOf(file) },
    {
      ticket: 't',
      signal,
    },
  )
  expect(place).toMatchObject({ isTaken: true })
})
