import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBlocks } from '../../src/membership/compare-blocks.ts'
import { fingerprintKey, readFingerprintKey } from '../../src/membership/fingerprint-key.ts'
import { fingerprintsOf } from '../../src/membership/fingerprints.ts'
import { readBlocks, readFacts, writeMembership } from '../../src/membership/membership-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FACTS = { step: 'list', at: 1, form: { signal: 'EMAIL', hash: 'none' } } as const

test('added, removed and kept are those of a full join, whatever the lists are', async () => {
  const folder = tempFolder()
  const key = fingerprintKey(folder)
  const people = fc.uniqueArray(
    fc.integer({ min: 0, max: 400 }).map((one) => `person ${one}`),
    { maxLength: 300 },
  )
  await fc.assert(
    fc.asyncProperty(people, people, async (before, after) => {
      const [old, now] = await Promise.all([listOf(folder, 'old', before), listOf(folder, 'now', after)])
      const found = await compareBlocks(
        (await fingerprintsOf(old, key)).blocks(),
        (await fingerprintsOf(now, key)).blocks(),
      )
      const kept = new Set(before).intersection(new Set(after)).size
      expect(found).toEqual({ added: after.length - kept, removed: before.length - kept, kept })
    }),
    { numRuns: 60 },
  )
})

test('lists of many blocks are compared exactly, from files and from memory', async () => {
  const folder = tempFolder()
  const key = fingerprintKey(folder)
  const people = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `p${from + at}@example.com`)
  const old = await fingerprintsOf(listOf(folder, 'old', people(0, 150_000)), key)
  const now = await fingerprintsOf(listOf(folder, 'now', people(30_000, 200_000)), key, { keys: 170_000 })
  const file = join(folder, 'runs/r1/old.list')
  await writeMembership(file, { ...FACTS, keys: old.size, keyId: key.id }, old)
  const expected = { added: 50_000, removed: 30_000, kept: 120_000 }
  expect(await compareBlocks(readBlocks(file), now.blocks())).toEqual(expected)
  expect(await compareBlocks(old.blocks(), now.blocks())).toEqual(expected)
})

test('a file has 8 bytes a person and a header; only its owner can read it', async () => {
  const folder = tempFolder()
  const key = fingerprintKey(folder)
  const people = Array.from({ length: 10_000 }, (_, at) => `person${at}`)
  const file = join(folder, 'runs/r1/a.list')
  const found = await fingerprintsOf(listOf(folder, 'a', people), key)
  await writeMembership(file, { ...FACTS, keys: found.size, keyId: key.id }, found)
  expect(statSync(file)).toMatchObject({ size: 4096 + 80_000, mode: 0o100600 })
  expect(statSync(join(folder, 'runs')).mode).toBe(0o40700)
  expect(statSync(join(folder, 'key'))).toMatchObject({ size: 32, mode: 0o100600 })
  expect(await readFacts(file)).toEqual({ ...FACTS, keys: 10_000, keyId: key.id })
})

test('a header line, a last line without its end, long keys and keys in two pieces of the file are all read', async () => {
  const folder = tempFolder()
  const key = fingerprintKey(folder)
  const long = ['x'.repeat(5000), 'y'.repeat(200_000), 'z']
  const [whole, open] = [listOf(folder, 'whole', long), join(folder, 'open')]
  writeFileSync(open, `email\n${long.join('\n')}`)
  const [one, other] = [await fingerprintsOf(whole, key), await fingerprintsOf(open, key)]
  expect(one.size).toBe(3)
  expect(await compareBlocks(one.blocks(), other.blocks())).toEqual({ added: 0, removed: 0, kept: 3 })
})

test.each(['', 'email', 'email\n'])('a list without keys (%j) is empty', async (text) => {
  const folder = tempFolder()
  const file = join(folder, 'empty')
  writeFileSync(file, text)
  expect((await fingerprintsOf(file, fingerprintKey(folder))).size).toBe(0)
})

test('fingerprints of another key have nothing in common', async () => {
  const [folder, other] = [tempFolder(), tempFolder()]
  const list = listOf(folder, 'a', ['a', 'b', 'c'])
  const [one, two] = [fingerprintKey(folder), fingerprintKey(other)]
  expect(one.id).not.toBe(two.id)
  const found = await compareBlocks(
    (await fingerprintsOf(list, one)).blocks(),
    (await fingerprintsOf(list, two)).blocks(),
  )
  expect(found.kept).toBe(0)
})

test('the key is made once, and stays', () => {
  const folder = join(tempFolder(), 'membership')
  expect(readFingerprintKey(folder)).toBeUndefined()
  expect(fingerprintKey(folder)).toEqual(fingerprintKey(folder))
})

test('a damaged key is an error, and not another key', () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'key'), 'short')
  expect(() => fingerprintKey(folder)).toThrow(expect.objectContaining({ code: 'fingerprint-key' }))
})

test.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, -8)],
  ['without its header', (bytes: Buffer) => Buffer.concat([Buffer.alloc(4096), bytes.subarray(4096)])],
  ['empty', () => Buffer.alloc(0)],
])('a file that is %s is as good as none', async (_name, damage) => {
  const folder = tempFolder()
  const key = fingerprintKey(folder)
  const found = await fingerprintsOf(listOf(folder, 'a', ['a', 'b']), key)
  const file = join(folder, 'runs/r1/a.list')
  await writeMembership(file, { ...FACTS, keys: 2, keyId: key.id }, found)
  writeFileSync(file, damage(readFileSync(file)))
  expect(await readFacts(file)).toBeUndefined()
})

function listOf(folder: string, name: string, keys: readonly string[]): string {
  const file = join(folder, name)
  writeFileSync(file, ['email', ...keys, ''].join('\n'))
  return file
}
