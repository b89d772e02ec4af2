import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ListSource, ListSources } from '../../src/core/list-source.ts'
import { findListFiles } from '../../src/lists/find-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const found = async (source: string, sources: ListSources, folder = '/') =>
  (await findListFiles({ source }, { sources }, { folder, signal: new AbortController().signal })).map(
    ({ path }) => path,
  )

const lake: ListSource = { kind: 'path', path: '/lake.csv' }

test.each([
  ['laek', { lake }, 'did you mean lake?'],
  ['toString', { lake }, 'known here: lake'],
  ['lake', {}, 'declare it there, under sources'],
])('a source that audience.yaml does not have: %s', async (name, sources, hint) => {
  await expect(found(name, sources)).rejects.toMatchObject({
    code: 'unknown-source',
    message: `audience.yaml has no source ${name}`,
    hint,
  })
})

test('a source on another machine is not read where nothing opens it', async () => {
  const at = { kind: 'sftp' } as Extract<ListSource, { kind: 'remote' }>['at']
  await expect(found('far', { far: { kind: 'remote', at } })).rejects.toMatchObject({
    code: 'source-left-out',
    message: 'source far is not read: it is on another machine, and other machines cannot be reached from here',
  })
})

test('rows come from somewhere', async () => {
  const place = { folder: '/', signal: new AbortController().signal }
  await expect(findListFiles({}, { sources: {} }, place)).rejects.toThrow('neither a file nor a source')
})

test('a path without a pattern is the file, even if that does not exist', async () => {
  expect(await found('lake', { lake })).toEqual(['/lake.csv'])
})

test('a folder that cannot be read is not told as one without files', async () => {
  const base = tempFolder()
  symlinkSync('locked', join(base, 'locked'))
  const source: ListSource = { kind: 'path', path: join(base, 'locked/*.csv') }
  await expect(found('lake', { lake: source })).rejects.toMatchObject({
    code: 'file-unreadable',
    message: expect.stringMatching(/the folder \S+\/locked of a source cannot be read: ELOOP/),
    hint: expect.stringContaining('links'),
  })
  const missing: ListSource = { kind: 'path', path: join(base, 'none/*.csv') }
  await expect(found('lake', { lake: missing })).rejects.toMatchObject({ code: 'source-empty' })
})

test('a file whose name is not UTF-8 is told, and not left out of the list', async () => {
  const base = tempFolder()
  writeFileSync(join(base, 'a.csv'), '')
  writeFileSync(join(base, 'real\ufffd.csv'), '')
  const source: ListSource = { kind: 'path', path: join(base, '*.csv') }
  expect(await found('lake', { lake: source })).toHaveLength(2)
  writeFileSync(Buffer.from(`${base}/caf\xe9.csv`, 'latin1'), '')
  await expect(found('lake', { lake: source })).rejects.toMatchObject({
    code: 'file-unreadable',
    message: `${join(base, 'caf\ufffd.csv')} of a source cannot be read: its name is not UTF-8`,
  })
})

test('a folder that matches a pattern is not a file, and neither is a dangling link', async () => {
  const base = tempFolder()
  mkdirSync(join(base, 'a.csv'))
  symlinkSync(join(base, 'gone'), join(base, 'c.csv'))
  const source: ListSource = { kind: 'path', path: join(base, '*.csv') }
  await expect(found('lake', { lake: source })).rejects.toMatchObject({
    code: 'source-empty',
    message: 'source lake has no file: no file matches',
  })
  writeFileSync(join(base, 'b.csv'), '')
  expect(await found('lake', { lake: source })).toEqual([join(base, 'b.csv')])
})

test('a link among the files that leads out is refused, beside files that stay', async () => {
  const [base, other] = [realpathSync(tempFolder()), realpathSync(tempFolder())]
  const paths = ['a.csv', 'b.csv'].map((name) => join(base, name))
  for (const path of [...paths, join(other, 'b.csv')]) writeFileSync(path, '')
  const path = join(base, '*.csv')
  const tree = () => found('lake', { lake: { kind: 'path', path, tree: base } })
  const within = () => found('lake', { lake: { kind: 'path', path, within: base } })
  expect(await tree()).toEqual(paths)
  expect(await within()).toEqual(paths)
  rmSync(join(base, 'b.csv'))
  symlinkSync(join(other, 'b.csv'), join(base, 'b.csv'))
  const left = (why: string) => ({ code: 'source-left-out', message: `source lake is not read: ${why}` })
  await expect(tree()).rejects.toMatchObject(left('it leads out of the working tree'))
  await expect(within()).rejects.toMatchObject(left(`it leads out of ${base}`))
})

test('only the owner can read what a command writes', async () => {
  const folder = tempFolder()
  const script = `require('node:fs').writeFileSync(process.argv[1], 'x', { mode: 0o644 })`
  const command = [process.execPath, '-e', script, '{out}']
  const [path = ''] = await found('lake', { lake: { kind: 'command', command, timeoutMs: 60_000, folder } }, folder)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('10,000 files are read in the order of their names; one more file is too many', async () => {
  const base = tempFolder()
  const path = join(base, '*')
  for (let at = 0; at < 10_000; at += 1) writeFileSync(join(base, `${at}`), '')
  const all = await found('lake', { lake: { kind: 'path', path } })
  expect(all).toHaveLength(10_000)
  expect(all).toEqual(all.toSorted())
  writeFileSync(join(base, 'more'), '')
  await expect(found('lake', { lake: { kind: 'path', path } })).rejects.toMatchObject({
    code: 'source-too-large',
    message: `more than 10,000 files match ${path}`,
  })
})
