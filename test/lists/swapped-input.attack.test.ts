import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fileCheck, openAllowed } from '../../src/policy/enforce.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench, parquetOf } from './list-bench.ts'

/**
 * A folder that documents may read, a secret outside it, and functions that replace a file or its folder with a link to
 * the secret.
 */
function place(content: string | Uint8Array) {
  const folder = tempFolder()
  const [root, outside] = [join(folder, 'data'), join(folder, 'outside')]
  const path = join(root, 'in', 'list')
  for (const each of [join(root, 'in'), outside]) mkdirSync(each, { recursive: true })
  writeFileSync(path, content)
  writeFileSync(join(outside, 'list'), 'email\nsecret@example.com\n')
  const swaps = {
    folder() {
      renameSync(join(root, 'in'), join(root, 'was'))
      symlinkSync(outside, join(root, 'in'))
    },
    file() {
      renameSync(path, join(root, 'was'))
      symlinkSync(join(outside, 'list'), path)
    },
  }
  const check = fileCheck({ ownEnv: [], fileRoots: [root] })
  return { root, path, swaps, check }
}

const KINDS: [string, () => Promise<string | Uint8Array>][] = [
  ['text', async () => 'email\na@example.com\n'],
  ['text that needs a copy', async () => 'email,x\r\na@example.com,"one\ntwo"\r\n'],
  ['gzip', async () => gzipSync('email\na@example.com\n')],
  ['NDJSON', async () => '{"email":"a@example.com"}\n'],
  ['Parquet', () => parquetOf(`SELECT 'a@example.com' AS email`)],
]

test.each(
  KINDS.flatMap(([kind, content]) => (['folder', 'file'] as const).map((way) => [kind, way, content] as const)),
)(
  'a list of %s, whose %s is swapped after it was opened, is of the file that was checked',
  async (_kind, way, content) => {
    const { path, swaps, check } = place(await content())
    const bench = listBench({
      async openFile(file) {
        const open = await openAllowed(file, check)
        swaps[way]()
        return open
      },
    })
    await bench.prepareFile(path, { column: 'email' })
    expect(bench.content()).toBe('email\na@example.com\n')
  },
)

test.each(['folder', 'file'] as const)(
  'a %s that is swapped between the check and the opening is refused',
  async (way) => {
    const { path, swaps, check } = place('email\na@example.com\n')
    let isSwapped = false
    const swapping = (file: string) => {
      check(file)
      if (!isSwapped) swaps[way]()
      isSwapped = true
    }
    const bench = listBench({ openFile: (file) => openAllowed(file, swapping) })
    await expect(bench.prepareFile(path)).rejects.toMatchObject({ code: 'file-not-allowed' })
  },
)

test('a pipe, a device and a link to one are not opened, so nothing waits for their writer', async () => {
  const { root } = place('')
  const [pipe, link] = [join(root, 'pipe'), join(root, 'link')]
  execFileSync('mkfifo', [pipe])
  symlinkSync(pipe, link)
  for (const path of [pipe, link, '/dev/zero']) {
    await expect(listBench().prepareFile(path)).rejects.toThrow('cannot be read: it is not a regular file')
    const source = listBench({ sources: { it: { kind: 'path', path } } })
    await expect(source.prepare('', { from: { source: 'it' } })).rejects.toThrow('it is not a regular file')
    const suppressing = listBench({ suppress: [path] })
    await expect(suppressing.prepare('email\na@example.com\n')).rejects.toThrow('it is not a regular file')
  }
})
