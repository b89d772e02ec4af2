import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RemoteFile, RemoteSource } from '../../../src/core/remote-source.ts'
import { sha256 } from '../../../src/core/sha256.ts'
import { copyPath, makeCopy, removeCopy } from '../../../src/triggers/remote/local-copy.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FILE: RemoteFile = { path: 'in/a.csv', size: 14, mtimeMs: 0 }
const RULE = { maxBytes: 1000, minimumShare: 0.9 }
const signal = new AbortController().signal

/** A source that returns these chunks, and fails at a chunk that is an error. */
function sourceOf(...pieces: readonly (string | Error)[]): RemoteSource {
  async function* read() {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece
      yield Buffer.from(piece)
    }
  }
  return { read } as Partial<RemoteSource> as RemoteSource
}

/** The files below a folder that this process holds open. */
function openIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', fd))
      return path.startsWith(folder) ? [path] : []
    } catch {
      // This descriptor was open only to read the list.
      return []
    }
  })
}

test('a copy has all of the file, and only what was read whole has its name', async () => {
  const copies = tempFolder()
  const path = copyPath(copies, '1-x', FILE.path)
  const failing = makeCopy(sourceOf('a@exa', new Error('the connection ended')), FILE, { path, rule: RULE, signal })
  await expect(failing).rejects.toThrow('the connection ended')
  expect(existsSync(path)).toBe(false)
  const text = 'a@example.com\n'
  const copied = await makeCopy(sourceOf(text.slice(0, 5), text.slice(5)), FILE, { path, rule: RULE, signal })
  expect(copied).toEqual({ sha256: sha256(text), problem: undefined })
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect(readdirSync(join(path, '..'))).toEqual(['a.csv'])
})

test('a copy that cannot get its name is an error', async () => {
  const path = copyPath(tempFolder(), '1-x', FILE.path)
  mkdirSync(join(path, 'folder'), { recursive: true })
  await expect(makeCopy(sourceOf('a@example.com\n'), FILE, { path, rule: RULE, signal })).rejects.toThrow('rename')
})

test.runIf(existsSync('/proc/self/fd'))('no copy stays open, whether it was read whole or not', async () => {
  const copies = tempFolder()
  for (const pieces of [['a@example.com\n'], ['a@exa', new Error('the connection ended')]]) {
    const path = copyPath(copies, '1-x', FILE.path)
    await makeCopy(sourceOf(...pieces), FILE, { path, rule: RULE, signal }).catch(() => undefined)
    expect(openIn(copies)).toEqual([])
  }
})

test('a copy is gone when its removal resolves, and one that was never made is no error', async () => {
  const copies = tempFolder()
  const path = copyPath(copies, '1-x', FILE.path)
  await makeCopy(sourceOf('a@example.com\n'), FILE, { path, rule: RULE, signal })
  await removeCopy(copies, '1-x')
  expect(existsSync(join(path, '..'))).toBe(false)
  await removeCopy(copies, '1-x')
})
