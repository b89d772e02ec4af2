import { appendFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readChunks } from '../../src/platform/read-chunks.ts'
import { tempFolder } from '../support/temp-folder.ts'

const newFile = () => join(tempFolder(), 'file')

async function read(file: string, whenRead = () => {}): Promise<Buffer> {
  await using opened = await open(file)
  const copies: Buffer[] = []
  for await (const chunk of readChunks(opened)) {
    copies.push(Buffer.from(chunk))
    whenRead()
  }
  return Buffer.concat(copies)
}

test('the pieces of a file of any size are the file', async () => {
  const file = newFile()
  const sizes = fc.oneof(fc.constantFrom(0, 1, 4095, 4096, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1), fc.nat(3e6))
  await fc.assert(
    fc.asyncProperty(sizes, async (size) => {
      const bytes = Buffer.from(Uint32Array.from({ length: Math.ceil(size / 4) }, (_, at) => at).buffer).subarray(
        0,
        size,
      )
      writeFileSync(file, bytes)
      expect((await read(file)).equals(bytes)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('what is added while it is read is read too', async () => {
  const file = newFile()
  writeFileSync(file, 'one ')
  let added = 0
  const all = await read(file, () => {
    if (added++ < 3) appendFileSync(file, 'more ')
  })
  expect(all.toString()).toBe('one more more more ')
})

test('a small file is not read into a large buffer', async () => {
  const file = newFile()
  writeFileSync(file, 'small')
  await using opened = await open(file)
  for await (const chunk of readChunks(opened)) expect(chunk.buffer.byteLength).toBeLessThanOrEqual(4096)
})

test('it ends with the reason of its signal', async () => {
  const file = newFile()
  writeFileSync(file, 'one')
  await using opened = await open(file)
  const reason = new Error('the run was cancelled')
  await expect(Array.fromAsync(readChunks(opened, AbortSignal.abort(reason)))).rejects.toBe(reason)
})
