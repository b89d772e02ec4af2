import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { UploadPart } from '../../../src/service/call.ts'
import { receiveFile } from '../../../src/service/uploads/receive-file.ts'

test('what was written is given back at once, unless others hold a part of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audience-receive-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bytes = (text: string) => new Uint8Array([...text].map((letter) => letter.charCodeAt(0)))
  const shared = bytes('two,three')
  const chunks = [bytes('one,'), shared.subarray(0, 4), shared.subarray(4)]
  async function* content() {
    yield* chunks
    expect(chunks.map(({ length }) => length)).toEqual([0, 4, 5])
  }
  async function* parts(): AsyncGenerator<UploadPart> {
    yield { name: 'file', content: { fileName: 'a.csv', bytes: content(), isTooLarge: () => false } }
  }
  const target = join(folder, 'target')
  expect(await receiveFile(parts(), target)).toEqual({ name: 'a.csv', bytes: 13 })
  expect(readFileSync(target, 'utf8')).toBe('one,two,three')
})
