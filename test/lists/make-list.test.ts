import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { decompressWithin } from '../../src/lists/decompress.ts'
import { makeList } from '../../src/lists/make-list.ts'
import { type Sandbox, Sandboxes } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

test('a list has each key once, normalised and sorted, under a header, and its figures add up', async () => {
  const { lists, place, prepare } = listBench()
  const text = 'name,email\nAnn, Ann@Example.COM \nBob,bob@example.com\nAnn,ann@example.com\nNo,\nBad,not an address\n'
  const figures = await prepare(text, { column: 'email' })
  const file = lists.fileOf(place)
  const content = readFileSync(file)
  expect(content.toString()).toBe('email\nann@example.com\nbob@example.com\n')
  expect(figures).toEqual({
    ...{ rows: 5, keys: 2, duplicates: 1, empty: 1, bad: 1, badShare: 0.2, suppressed: 0 },
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    normalisation: 'service/3',
  })
})

test('only the owner of the state can read it, and nothing is left when the run is removed', async () => {
  const { folder, lists, place, prepare } = listBench()
  await prepare('email\nann@example.com\n', { column: 'email' })
  const file = lists.fileOf(place)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  await lists.remove(place.runId)
  expect(readdirSync(folder)).toEqual([])
})

test('a list without a key is an error, and leaves no file', async () => {
  const { lists, place, prepare } = listBench()
  await expect(prepare('email\nnobody\n', { column: 'email' })).rejects.toMatchObject({
    code: 'list-empty',
    message: 'the list has no EMAIL key: of 1 rows, 0 are empty, 1 bad and 0 suppressed',
  })
  expect(existsSync(lists.fileOf(place))).toBe(false)
})

test('a list that cannot be written is an error before anything is read', async () => {
  const sandboxes = new Sandboxes(LIST_LIMITS)
  onTestFinished(() => sandboxes.close())
  const opened = vi.spyOn(sandboxes, 'open')
  const { base, file } = listBench()
  writeFileSync(file, 'email\na@x.test\n')
  const work = {
    sandboxes,
    folder: base,
    decompress: decompressWithin(LIST_LIMITS),
    signal: new AbortController().signal,
  }
  const target = join(base, 'gone', 'list.csv')
  const made = makeList(
    { from: { file }, signal: 'EMAIL' },
    { ...work, files: [{ given: file, path: file }], suppress: [], target, most: 1e9 },
  )
  await expect(made).rejects.toMatchObject({ code: 'ENOENT', path: `${target}.part` })
  expect(opened).not.toHaveBeenCalled()
})

test('a missing column is an error that shows nothing of the file', async () => {
  const { prepare } = listBench()
  const error = await prepare('ann@example.com,1\nbob@example.com,2\n', { column: 'email' }).catch((caught) => caught)
  expect(error).toMatchObject({
    code: 'list-no-column',
    message: expect.stringContaining('it has 2 columns'),
  })
  expect(JSON.stringify(error) + error.message).not.toContain('example.com')
})

test('a file that changes while it is read is an error, and leaves no list', async () => {
  const { base, lists, place } = listBench()
  const file = join(base, 'people.csv')
  writeFileSync(file, `email\n${Array.from({ length: 200_000 }, (_, index) => `p${index}@example.com`).join('\n')}\n`)
  const request = { from: { file }, column: 'email', signal: 'EMAIL' } as const
  const made = lists.make(request, place, new AbortController().signal)
  // Somebody keeps writing until the list is made or refused.
  let isOver = false
  const writer = (async () => {
    while (!isOver) {
      appendFileSync(file, 'late@example.com\n')
      await new Promise(setImmediate)
    }
  })()
  await expect(made.finally(() => (isOver = true))).rejects.toMatchObject({ code: 'file-changed' })
  await writer
  expect(existsSync(lists.fileOf(place))).toBe(false)
})

test('an opt-out list whose writer sets the time back while it is read is an error', async () => {
  const base = tempFolder()
  const optOuts = join(base, 'opt-outs.csv')
  writeFileSync(optOuts, 'email\na@example.com\n')
  // In place: the file is a valid list at every moment.
  const write = (letter: string) => {
    const opened = openSync(optOuts, 'r+')
    writeSync(opened, `email\n${letter}`)
    closeSync(opened)
    utimesSync(optOuts, 1_700_000_000, 1_700_000_000)
  }
  write('a')
  const { prepare } = listBench({ suppress: [optOuts] })
  let isOver = false
  const made = prepare('email\na@example.com\nb@example.com\nc@example.com\n', { column: 'email' })
  const writer = (async () => {
    while (!isOver) {
      write('b')
      await new Promise(setImmediate)
    }
  })()
  await expect(made.finally(() => (isOver = true))).rejects.toMatchObject({ code: 'file-changed' })
  await writer
})

test('a query has a process of its own; the one that has the opt-out lists gets its answer, and none of its files', async () => {
  const sandboxes = new Sandboxes(LIST_LIMITS)
  onTestFinished(() => sandboxes.close())
  const opened = vi.spyOn(sandboxes, 'open')
  const { file } = listBench()
  const sources = { it: { kind: 'path', path: file } } as const
  const bench = listBench({ sandboxes, sources })
  writeFileSync(file, 'email\na@x.test\n')
  await bench.prepareFile('', { from: { source: 'it' }, sql: 'SELECT email FROM input' })
  expect(opened.mock.calls.map(([{ process, files }]) => [process, files.includes(file)])).toEqual([
    ['own', true],
    ['shared', false],
  ])
})

/** Records the permissions of a state's files at the moment when DuckDB gets them. */
class Watching extends Sandboxes {
  readonly modes = new Set<number>()

  override open<T>(request: Parameters<Sandboxes['open']>[0], work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const isOurs = (file: string) => file.startsWith(`${dirname(request.tempDir)}/`) && existsSync(file)
    for (const file of request.files.filter(isOurs)) this.modes.add(statSync(file).mode & 0o777)
    return super.open(request, work)
  }
}

test('only the owner of the state can read what DuckDB writes to, even while it is empty', async () => {
  const sandboxes = new Watching(LIST_LIMITS)
  onTestFinished(() => sandboxes.close())
  await listBench({ sandboxes }).prepare('email\na@x.test\n', { sql: 'SELECT email FROM input' })
  expect([...sandboxes.modes]).toEqual([0o600])
})

test('a CSV file that DuckDB gives up on is read from a copy, whatever else is in the list', async () => {
  const { base } = listBench()
  writeFileSync(join(base, 'part-1'), 'email,n\r\na@x.test,1\nb@x.test,2\r\n')
  writeFileSync(join(base, 'part-2'), '{"email":"c@x.test"}\n')
  const bench = listBench({ sources: { it: { kind: 'path', path: join(base, 'part-*') } } })
  for (const how of [{ column: 'email' }, { sql: 'SELECT email FROM input' }])
    expect(await bench.prepareFile('', { from: { source: 'it' }, ...how })).toMatchObject({ keys: 3, bad: 0 })
  const wrong = bench.prepareFile('', { from: { source: 'it' }, sql: 'SELECT e FROM input' })
  await expect(wrong).rejects.toMatchObject({ code: 'list-sql' })
})
