import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Disk, localDisk } from '../../../src/triggers/watch/disk.ts'
import { placeFile } from '../../../src/triggers/watch/place-file.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const refuse = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }))

/** The ways to move a file to a folder: the call that succeeds, and the calls that the system refuses before it. */
const WAYS: Readonly<Record<string, Partial<Disk>>> = {
  'a link': {},
  'a copy that is linked': {
    link: async (from, to) => (String(from).endsWith('.part') ? localDisk.link(from, to) : refuse('EXDEV')()),
  },
  'a copy that is renamed': { link: refuse('EPERM') },
  'a rename, because it cannot be read': { link: refuse('EPERM'), copyFile: refuse('EACCES'), open: refuse('EACCES') },
}

test.each(Object.entries(WAYS))(
  'by %s, the note is there before the file, and a file that has its name keeps it',
  async (_way, refusals) => {
    const folder = tempFolder()
    const [source, done] = [join(folder, 'a.csv'), join(folder, 'done')]
    mkdirSync(done)
    writeFileSync(source, 'x')
    const lonely: string[] = []
    const look = () => {
      for (const name of readdirSync(done)) {
        const isFile = name.endsWith('.csv') && !name.startsWith('.')
        if (isFile && !existsSync(join(done, `${name}.note`))) lonely.push(name)
      }
    }
    const looking = <Given extends unknown[], Answer>(work: (...given: Given) => Promise<Answer>) => {
      return async (...given: Given) => {
        const answer = await work(...given)
        look()
        return answer
      }
    }
    const base = { ...localDisk, ...refusals }
    const disk: Disk = { ...base, link: looking(base.link), rename: looking(base.rename) }
    const path = await placeFile(
      disk,
      { source, folder: done, name: 'a.csv', ticket: '1-x' },
      {
        fits: async () => true,
        put: async (place) => writeFileSync(`${place}.note`, 'why'),
        remove: async (place) => localDisk.rm(`${place}.note`),
      },
    )
    look()
    expect(path).toMatch(/\/done\/a(\.1-x)?\.csv$/)
    expect(existsSync(`${path}.note`)).toBe(true)
    expect(lonely).toEqual([])
  },
)

test('a file that is gone has no place, also where another one has its name', async () => {
  const done = tempFolder()
  writeFileSync(join(done, 'a.csv'), 'y')
  const companion = { fits: async () => true, put: async () => undefined, remove: async () => undefined }
  for (const beside of [undefined, companion]) {
    const placing = { source: join(done, 'gone.csv'), folder: done, name: 'a.csv', ticket: '1-x' }
    await expect(placeFile(localDisk, placing, beside)).resolves.toBeUndefined()
  }
  expect(readdirSync(done)).toEqual(['a.csv'])
})

test('a file with the same number on another file system is another file', async () => {
  const folder = tempFolder()
  const [source, taken] = [join(folder, 'a.csv'), join(folder, 'done', 'a.csv')]
  mkdirSync(join(folder, 'done'))
  writeFileSync(source, 'x')
  writeFileSync(taken, 'y')
  const numbered = async (path: string) => {
    const stats = await localDisk.lstat(path)
    return Object.assign(stats, { ino: 7, dev: path === taken ? 2 : 1 })
  }
  const disk = { ...localDisk, lstat: numbered } as Disk
  const companion = { fits: async () => true, put: async () => undefined, remove: async () => undefined }
  for (const beside of [undefined, companion]) {
    const placing = { source, folder: join(folder, 'done'), name: 'a.csv', ticket: beside ? '2-x' : '1-x' }
    expect(await placeFile(disk, placing, beside)).toBe(join(folder, 'done', `a.${placing.ticket}.csv`))
  }
})

test('files of one name and one ticket get numbers', async () => {
  const folder = tempFolder()
  const source = join(folder, 'a.csv')
  writeFileSync(source, 'x')
  for (const name of ['a.csv', 'a.1-x.csv', 'a.1-x-2.csv']) {
    mkdirSync(join(folder, 'done'), { recursive: true })
    writeFileSync(join(folder, 'done', name), 'y')
  }
  const placed = await placeFile(localDisk, { source, folder: join(folder, 'done'), name: 'a.csv', ticket: '1-x' })
  expect(placed).toBe(join(folder, 'done', 'a.1-x-3.csv'))
})

test.each([
  ['this process is not allowed to copy it to the file system of that folder', Number.POSITIVE_INFINITY],
  ['it is too large to be copied to the file system of that folder', 0],
])('a file that cannot be moved stays, without a note there, and the error says why: %s', async (why, mostCopied) => {
  const folder = tempFolder()
  const [source, done] = [join(folder, 'a.csv'), join(folder, 'done')]
  writeFileSync(source, 'x')
  const disk: Disk = { ...localDisk, link: refuse('EXDEV'), copyFile: refuse('EACCES'), rename: refuse('EXDEV') }
  const companion = {
    fits: async () => true,
    put: async (place: string) => writeFileSync(`${place}.note`, 'why'),
    remove: async (place: string) => localDisk.rm(`${place}.note`),
  }
  const placing = { source, folder: done, name: 'a.csv', ticket: '1-x', mostCopied }
  await expect(placeFile(disk, placing, companion)).rejects.toThrow(why)
  expect(existsSync(source)).toBe(true)
  expect(readdirSync(done)).toEqual([])
})
