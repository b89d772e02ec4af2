import { expect, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { lookAt } from '../../../src/triggers/watch/look-at.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('what is there, what is not, and what cannot be told', async () => {
  const folder = tempFolder()
  expect((await lookAt(localDisk, folder))?.isDirectory()).toBe(true)
  expect(await lookAt(localDisk, `${folder}/none`)).toBeUndefined()
  const lstat = async () => {
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  }
  await expect(lookAt({ lstat }, folder)).rejects.toThrow('EIO')
})
