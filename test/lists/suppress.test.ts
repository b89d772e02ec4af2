import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
const PEOPLE = 'email\nann@example.com\nAnn@Example.com\nbob@example.com\ncia@example.com\n'

/** Prepares a list while these opt-out lists are in force. */
async function suppressed(optOuts: readonly string[], people = PEOPLE, request: Partial<ListRequest> = {}) {
  const folder = tempFolder()
  const suppress = optOuts.map((text, index) => {
    const file = join(folder, `opt-outs-${index}.csv`)
    writeFileSync(file, text)
    return file
  })
  const bench = listBench({ suppress })
  const figures = await bench.prepare(people, { column: 1, ...request })
  return { figures, keys: bench.content().trimEnd().split('\n').slice(1) }
}

test('people of all opt-out lists are left out, normalised in the same way, and counted once', async () => {
  const { figures, keys } = await suppressed([
    ' ANN@example.com\n',
    '"E-Mail";"since"\n"cia@EXAMPLE.com";"2026"\nann@example.com;2026\n',
  ])
  expect(keys).toEqual(['bob@example.com'])
  expect(figures).toMatchObject({ rows: 4, keys: 1, suppressed: 2, duplicates: 1 })
})

test('a hash and the key that was hashed are one person, in the list, in the opt-outs and in the written file', async () => {
  expect((await suppressed([`${hashOf('ann@example.com').toUpperCase()}\n`])).keys).toEqual([
    'bob@example.com',
    'cia@example.com',
  ])
  const hashed = `email\n${hashOf('ann@example.com')}\nbob@example.com\n`
  expect((await suppressed(['ann@example.com\n'], hashed)).keys).toEqual(['bob@example.com'])
  expect((await suppressed(['ann@example.com\n'], hashed, { hash: 'sha256' })).keys).toEqual([
    hashOf('bob@example.com'),
  ])
})

test('the column of the signal counts; a list of other signals only does not apply', async () => {
  const table = 'ip,email\n10.0.0.1,ann@example.com\n'
  expect((await suppressed([table])).figures).toMatchObject({ keys: 2, suppressed: 1 })
  expect((await suppressed([table], 'ip\n10.0.0.1\n10.0.0.2\n', { signal: 'IP' })).figures).toMatchObject({
    keys: 1,
    suppressed: 1,
  })
  expect((await suppressed(['email\nann@example.com\n'], 'ip\n10.0.0.1\n', { signal: 'IP' })).figures).toMatchObject({
    keys: 1,
    suppressed: 0,
  })
})

test('an opt-out list that is missing or has no usable key is an error, and so is a list with nobody left', async () => {
  await expect(suppressed(['name,address\nAnn,nowhere\n'])).rejects.toMatchObject({ code: 'opt-outs-unusable' })
  const bench = listBench({ suppress: ['/nowhere/opt-outs.csv'] })
  await expect(bench.prepare(PEOPLE, { column: 1 })).rejects.toMatchObject({
    code: 'opt-outs-unusable',
    message: expect.stringContaining('there is no such file'),
  })
  await expect(suppressed(['ann@example.com\nbob@example.com\ncia@example.com\n'])).rejects.toMatchObject({
    code: 'list-empty',
    message: 'the list has no EMAIL key: of 4 rows, 0 are empty, 0 bad and 3 suppressed',
  })
})

test.each([
  ['bad values', 'email\nx x\ny y\nann@example.com\n', 'of the 3 rows'],
  [
    'quotes that stay',
    "email\nann@example.com\nbob@example.com\ncia@example.com\n'dan@example.com'\n",
    'of the 4 rows',
  ],
  ['a link', 'mailto:cia@example.com\nann@example.com\n', 'of the 2 rows'],
  ['a line with an open quote', 'email\n"cia@example.com\nann@example.com\n', 'of the 2 rows'],
  ['an object with another name', '{"email":"ann@example.com"}\n{"mail":"cia@example.com"}\n', 'of the 2 rows'],
  ['an object that names another signal only', '{"ip":"10.0.0.1"}\n{"who":"cia@example.com"}\n', 'of the 2 rows'],
  ['a name in other letters', '{"email":"ann@example.com"}\n{"EMail":"cia@example.com"}\n', 'of the 2 rows'],
  ['a line that is not an object', '{"email":"ann@example.com"}\n["cia@example.com"]\n', 'of the 2 rows'],
  ['a value that is none', '{"email":"ann@example.com"}\n{"email":["cia@example.com"]}\n', 'of the 2 rows'],
])('%s in an opt-out list are never left out silently', async (_name, text, rows) => {
  const error = await suppressed([text]).catch((caught) => caught)
  expect(error).toMatchObject({ code: 'opt-outs-unusable', message: expect.stringContaining(rows) })
  expect(error.message).toMatch(/opt-outs-0\.csv, [12] cannot be used/)
  expect(JSON.stringify(error) + error.message).not.toContain('example.com')
})

test.each([
  ['blank rows', 'email,since\nann@example.com,1\n,2\n  ,3\n'],
  [
    'keys of several signals in a column without a name',
    'ann@example.com\n10.0.0.1\n6d92078a-8246-4ba4-ae5b-76104861e7dc\n',
  ],
  ['rows for other signals', '{"ip":"10.0.0.1"}\n{"email":"ann@example.com"}\n{"email":null,"since":1}\n{}\n'],
  ['single quotes', "email\n'ann@example.com'\n"],
])('%s in an opt-out list are fine', async (_name, text) => {
  expect((await suppressed([text])).keys).toEqual(['bob@example.com', 'cia@example.com'])
})

test('a person is the same with letters of one character and of two, in e-mail and postal addresses', async () => {
  const [one, two] = ['jos\u00e9', 'jose\u0301']
  for (const [listed, opted] of [
    [one, two],
    [two, one],
  ]) {
    const people = `email\n${listed}@x.test\nbob@x.test\n`
    expect((await suppressed([`${opted}@x.test\n`], people)).keys).toEqual(['bob@x.test'])
    const homes = await suppressed([`address\n1 Rue ${opted}\n`], `address\n1 rue ${listed}\n2 Rue A\n`, {
      column: 'address',
      signal: 'ADDRESS',
    })
    expect(homes.keys).toEqual(['2 RUE A'])
    const crossed = await suppressed([`email\n${opted}@x.test\n`], `id\n${listed}@x.test\nb\n`, {
      column: 'id',
      signal: 'RECORD_ID',
    })
    expect(crossed.keys).toEqual(['b'])
  }
  const both = await suppressed(['cia@example.com\n'], `email\n${one}@x.test\n${two}@x.test\n`)
  expect(both.figures).toMatchObject({ rows: 2, keys: 1, duplicates: 1 })
})

test('an address without a dot in its domain, such as one that was cut off, is bad, and no opt-out', async () => {
  const { figures } = await suppressed(['cia@example.com\n'], 'email\nann@example.com\nbob@x\ncia@exa')
  expect(figures).toMatchObject({ rows: 3, keys: 1, bad: 2, suppressed: 0 })
  await expect(suppressed(['ann@example.com\nbob@exa'])).rejects.toMatchObject({ code: 'opt-outs-unusable' })
  await expect(suppressed(['email\nann@example.com\nbob@exa'])).rejects.toMatchObject({ code: 'opt-outs-unusable' })
})

describe('whoever opted out is found in every spelling, in the list, in the opt-outs and as a hash', () => {
  const hashed = (key: string) => hashOf(key).toUpperCase()
  test.each([
    ['a domain and its name in the DNS', ['ann@bücher.test', 'Ann@BÜCHER.test', 'ANN@xn--bcher-kva.TEST']],
    ['the hash of either', ['ann@xn--bcher-kva.test', hashed('ann@bücher.test'), hashed('ann@xn--bcher-kva.test')]],
    ['full width', ['ann1@x.test', 'ａｎｎ１@x.test', 'ＡＮＮ１@Ｘ.test']],
    ['capitals beyond ASCII', ['jürgen@x.test', 'JÜRGEN@x.test', 'JU\u0308RGEN@X.TEST']],
    ['a final sigma', ['σας@x.test', 'ΣΑΣ@x.test']],
    ['an i with its dot', ['ismail@x.test', 'İSMAİL@x.test']],
  ])('%s', async (_what, spellings) => {
    for (const listed of spellings)
      for (const opted of spellings) {
        const people = `email\n${listed}\nbob@x.test\n`
        if (hashOfEither(listed) && hashOfEither(opted) && listed !== opted) continue
        expect((await suppressed([`email\n${opted}\n`], people)).keys, `${listed} ${opted}`).toEqual(['bob@x.test'])
      }
  })

  test.each([
    ['ss and ß', 'gross@x.test', 'groß@x.test'],
    ['i and ı', 'isil@x.test', 'ısıl@x.test'],
    ['ss and ß in a domain', 'ann@fass.test', 'ann@faß.test'],
    ['digits of another script', 'ann1@x.test', 'ann١@x.test'],
    ['letters of another alphabet', 'ann@x.test', '\u0430nn@x.test'],
  ])('%s are two people', async (_what, listed, opted) => {
    expect((await suppressed([`email\n${opted}\n`], `email\n${listed}\n`)).keys).toEqual([listed])
  })

  test('postal addresses', async () => {
    const homes = 'address\nBäckerstraße 1\nHill Rd 2\n'
    for (const opted of ['BÄCKERSTRASSE 1', 'ba\u0308ckerstraße, １.'])
      expect(
        (await suppressed([`address\n"${opted}"\n`], homes, { column: 'address', signal: 'ADDRESS' })).keys,
      ).toEqual(['HILL RD 2'])
  })

  test('ids, with é as one character or two', async () => {
    const request = { column: 'id', signal: 'RECORD_ID' } as const
    expect((await suppressed(['record_id\nS\u00e9 \n'], 'id\nSe\u0301\nT\n', request)).keys).toEqual(['T'])
  })
})

/** Two hashes of one address look like the hashes of two addresses. */
function hashOfEither(key: string): boolean {
  return /^[0-9A-F]{64}$/.test(key)
}
