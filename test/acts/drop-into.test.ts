import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dropInto } from '../../src/acts/drop-into.ts'
import { type Disk, localDisk } from '../../src/triggers/watch/disk.ts'
import { tempFolder } from '../support/temp-folder.ts'

const WITHOUT_LINKS: Disk = {
  ...localDisk,
  link: () => Promise.reject(Object.assign(new Error('no links here'), { code: 'EPERM' })),
}

function aside(text = 'a,b\n') {
  const folder = tempFolder()
  const placing = { source: join(folder, '.t1.upload'), folder, name: 'today.csv', ticket: 't1' }
  writeFileSync(placing.source, text)
  return { placing, names: () => readdirSync(folder).sort() }
}

test('a file gets its name, and no other file is replaced', async () => {
  const { placing, names } = aside()
  expect(await dropInto(localDisk, placing, '*.csv')).toBe(join(placing.folder, 'today.csv'))
  expect(names()).toEqual(['today.csv'])
  writeFileSync(placing.source, 'other\n')
  await expect(dropInto(localDisk, placing, '*.csv')).rejects.toMatchObject({ code: 'file-exists' })
  expect(readFileSync(join(placing.folder, 'today.csv'), 'utf8')).toBe('a,b\n')
})

test('where there are no hard links, it gets a name that nothing else has', async () => {
  const { placing, names } = aside()
  const path = await dropInto(WITHOUT_LINKS, placing, '*.csv')
  expect([path, names()]).toEqual([join(placing.folder, 'today.t1.csv'), ['today.t1.csv']])
  expect(readFileSync(path, 'utf8')).toBe('a,b\n')
  writeFileSync(placing.source, 'other\n')
  writeFileSync(join(placing.folder, 'today.csv'), 'of somebody else\n')
  await expect(dropInto(WITHOUT_LINKS, placing, '*.csv')).rejects.toMatchObject({ code: 'file-exists' })
})

test('where such a name does not match, nothing is there that the trigger could take, and the file stays', async () => {
  const { placing, names } = aside()
  await expect(dropInto(WITHOUT_LINKS, placing, 'today.csv')).rejects.toMatchObject({ code: 'file-exists' })
  expect(names().filter((name) => !name.startsWith('.'))).toEqual([])
  expect(readFileSync(placing.source, 'utf8')).toBe('a,b\n')
})
