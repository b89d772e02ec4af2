import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { listBench } from './list-bench.ts'

const signal = new AbortController().signal

/** A list that a run has prepared, and the list that its next attempt gets. */
async function prepared() {
  const bench = listBench()
  const { sha256 } = await bench.prepare('email\na@x.test\nb@x.test\n', {})
  const source = join(bench.base, 'people')
  const request = { from: { file: source }, signal: 'EMAIL' } as const
  return {
    ...bench,
    source,
    file: bench.lists.fileOf(bench.place),
    keep: () => bench.lists.keep(request, bench.place, { sha256 } as never, signal),
  }
}

test('an existing list is kept as it is, whatever has happened to its rows', async () => {
  const { keep, file, source } = await prepared()
  writeFileSync(source, 'email\nc@x.test\n')
  expect(await keep()).toMatchObject({ file, bytes: 24 })
})

test.each<[string, (file: string) => void]>([
  ['lost', (file) => rmSync(file)],
  ['cut', (file) => writeFileSync(file, 'email\na@x.')],
])('a list that was %s is made again, if its rows are the same', async (_what, harm) => {
  const { keep, file, source, content, folder } = await prepared()
  harm(file)
  expect(await keep()).toMatchObject({ file, bytes: 24 })
  expect(content()).toBe('email\na@x.test\nb@x.test\n')
  rmSync(file)
  writeFileSync(source, 'email\na@x.test\n')
  await expect(keep()).rejects.toMatchObject({ code: 'list-changed' })
  // The other list must never be uploaded by mistake.
  expect(existsSync(file)).toBe(false)
  expect(readdirSync(join(folder, 'run-1'))).toEqual([])
})

test('a list leaves its file and nothing else; if it fails, it leaves nothing', async () => {
  const { file, folder, keep, source, prepareFile } = await prepared()
  // A process that was killed leaves this.
  mkdirSync(join(dirname(file), 'work-of-before'))
  rmSync(file)
  await keep()
  const left = () => readdirSync(join(folder, 'run-1'), { recursive: true, encoding: 'utf8' })
  expect(left()).toEqual([dirname(relative(join(folder, 'run-1'), file)), relative(join(folder, 'run-1'), file)])
  writeFileSync(source, 'email\nnobody\n')
  await expect(prepareFile(source, { column: 'unknown' })).rejects.toMatchObject({ code: 'list-no-column' })
  expect(left()).toEqual([])
})

test.each([
  ['signs that a file cannot have', '../a b/ü', '-a-b-'],
  ['more letters than a file can have', 'n'.repeat(300), 'n'.repeat(60)],
  ['letters, digits and signs', 'Nightly_2-a', 'Nightly_2-a'],
])('a list is named after its pipeline, whose name has %s', (_what, pipeline, name) => {
  const { lists, place } = listBench()
  expect(basename(lists.fileOf({ ...place, pipeline }))).toBe(`${name}.csv`)
})
