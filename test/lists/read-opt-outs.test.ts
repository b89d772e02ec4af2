import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { count } from '../../src/core/format/figures.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import type { OptOutFile } from '../../src/core/privacy.ts'
import { decompressWithin } from '../../src/lists/decompress.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { writeForms } from '../../src/lists/write-forms.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench, parquetOf } from './list-bench.ts'

const sandboxes = new Sandboxes(LIST_LIMITS)
const DEVICE = '6d92078a-8246-4ba4-ae5b-76104861e7dc'
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

interface Case {
  readonly list?: string
  readonly signal?: FileSignal
  /** The settings of the file in audience.yaml, without its path. */
  readonly configured?: Omit<Exclude<OptOutFile, string>, 'file'>
}

/** The keys of the list while a file with this content is in force, or the error about `out.csv`. */
async function leaving(
  content: string | Uint8Array,
  { list = 'p1@x.test\np2@x.test\n', signal = 'EMAIL', configured }: Case = {},
) {
  const file = join(tempFolder(), 'out.csv')
  writeFileSync(file, content)
  const bench = listBench({ suppress: [configured === undefined ? file : { file, ...configured }] })
  return bench.prepare(list, { column: 1, signal }).then(
    () => ({ of: bench.content().split('\n').slice(1, -1) }),
    (error) => said(error, file),
  )
}

/** The keys that a file of people requests, or the error about `out.csv`. */
async function asking(content: string, signal: FileSignal = 'EMAIL') {
  const folder = tempFolder()
  const file = join(folder, 'out.csv')
  writeFileSync(file, content)
  const work = { folder, sandboxes, decompress: decompressWithin(LIST_LIMITS), signal: new AbortController().signal }
  const place = { ...work, suppress: [], target: join(folder, 'forms.csv') }
  return writeForms(file, { signal, hash: 'none' }, place).catch((error) => said(error, file))
}

function said({ code, message, hint }: { code: string; message: string; hint: string }, file: string) {
  return { code, message: message.replaceAll(file, 'out.csv'), hint: hint.replaceAll(file, 'out.csv') }
}

const PREPARED = 'so nothing was prepared'
const NO_PROOF = `out.csv does not prove that it is an opt-out list, ${PREPARED}: `

test.each<[string, string, string]>([
  [
    'a second column of the name',
    'email,contact_email\np1@x.test,\n,p2@x.test\n',
    'out.csv has EMAIL keys in its column 2 ("contact_email"), and another column has that name too; the first is on line 3',
  ],
  [
    'a field of objects',
    '{"ip":"10.0.0.1"}\n{"ip":"10.0.0.2","who":"p1@x.test"}\n',
    'out.csv has EMAIL keys in one of its columns ("who"), and the name of that column does not say so; the first is on line 2',
  ],
  [
    'a column whose name may be a person',
    'ip,ann.fox\n10.0.0.1,p1@x.test\n',
    'out.csv has EMAIL keys in its column 2, and the name of that column does not say so; the first is on line 2',
  ],
  [
    'a column beside one that nobody knows',
    'Customer,Who\n7,p1@x.test\n',
    'out.csv has EMAIL keys in its column 2 ("Who"), and the name of that column does not say so; the first is on line 2',
  ],
])('addresses in %s: the message says where', async (_what, content, why) => {
  const message = `an opt-out list cannot be used, ${PREPARED}: ${why}`
  expect(await leaving(content)).toMatchObject({ code: 'opt-outs-unusable', message })
})

test('rows of Parquet have no lines', async () => {
  const content = await parquetOf(`SELECT '10.0.0.1' AS ip, 'p1@x.test' AS who`)
  const why = 'out.csv has EMAIL keys in one of its columns ("who"), and the name of that column does not say so'
  expect(await leaving(content)).toMatchObject({ message: `an opt-out list cannot be used, ${PREPARED}: ${why}` })
})

test('what is to be written into audience.yaml has the number or the name of the column', async () => {
  const entry = (column: string) => expect.stringContaining(`{ file: out.csv, column: ${column}, signal: EMAIL }`)
  expect(await leaving('ip,who\n10.0.0.1,p1@x.test\n')).toMatchObject({ hint: entry('2') })
  expect(await leaving('{"ip":"10.0.0.1","who":"p1@x.test"}\n')).toMatchObject({ hint: entry('"who"') })
})

const FOR_IP = { signal: 'IP', list: '10.0.0.1\n' } as const
const OWN = { column: 'id', signal: 'RECORD_ID' }

test.each<[string, string, number, string, Case?]>([
  ['a row', 'email\np1@x.test\nnobody\n', 2, '; the first is on line 3'],
  ['the only row', 'email\nnobody\n', 1, '; the first is on line 2'],
  ['a header with a key', 'email,p1@x.test\np2@x.test,\n', 2, '; the first is on line 1'],
  ['a header with a key, for another signal', 'ip,p1@x.test\n10.0.0.1,x\n', 1, '; the first is on line 1'],
  ['a line', '{"email":"p1@x.test"}\nnobody\n', 2, '; the first is on line 2'],
  ['a line beside an address elsewhere', 'email,who\np1@x.test,p2@x.test\nnobody,\n', 2, '; the first is on line 3'],
  ['a broken line for another signal', 'ip,n\n10.0.0.1,1\n"10.0.0.2,2\n', 1, ''],
  ['a row for IP', 'ip\n10.0.0.1\nnobody\n', 2, '; the first is on line 3', FOR_IP],
  ['an odd address among ids', 'n,id\n1,S1\n2,p1%40x.test\n', 2, '; the first is on line 3', { configured: OWN }],
  ['one in objects', '{"id":"S1"}\n{"id":"p1%40x.test"}\n', 2, '; the first is on line 2', { configured: OWN }],
  ['a broken line among ids', 'id,n\nS1,1\nS2,"2\n', 2, '', { configured: OWN }],
])('each row that cannot be used is counted once: %s', async (_what, content, rows, line, how = {}) => {
  expect(await leaving(content, how)).toMatchObject({
    message: `of the ${count(rows, 'row')} of the opt-out list out.csv, 1 cannot be used, ${PREPARED}${line}`,
    hint: expect.stringContaining(how.signal === undefined ? 'have the address alone' : 'have the key alone'),
  })
})

test('a line that opens a quote says what to do', async () => {
  const content = 'email\np1@x.test\n"p2@x.test\n'
  const open = 'the first is on line 3, which opens a quote and does not close it'
  expect(await leaving(content)).toMatchObject({
    message: `of the 2 rows of the opt-out list out.csv, 1 cannot be used, ${PREPARED}; ${open}`,
    hint: expect.stringMatching(
      /^close the quote on line 3, .* write \{ file, column, signal \} into privacy\.suppress/,
    ),
  })
  expect(await asking(content)).toMatchObject({
    message: `of the 2 rows of out.csv, 1 cannot be used, so no list was searched; ${open}`,
    hint: expect.not.stringContaining('privacy.suppress'),
  })
})

test('a file with two columns of the name says what to do', async () => {
  const content = 'email,email\np1@x.test,p2@x.test\n'
  const why = 'out.csv has 2 columns named "email"'
  expect(await leaving(content)).toMatchObject({
    message: `an opt-out list cannot be used, ${PREPARED}: ${why}`,
    hint: 'privacy.suppress of audience.yaml names the opt-out lists; correct the file, then run again',
  })
  expect(await asking(content)).toMatchObject({
    message: `no list was searched: ${why}`,
    hint: 'give each a different name, or give the number of the column',
  })
})

test('an entry for a signal that nobody knows is a bug, and no list is made', async () => {
  const bench = listBench({ suppress: [{ file: '/out.csv', column: 1, signal: 'NONE' }] })
  await expect(bench.prepare('p1@x.test\n', { column: 1 })).rejects.toThrow('no signal is named NONE')
})

test('only for keys with a fixed form, a file may consist of keys alone', async () => {
  const alone = 'or one key per line and nothing else'
  expect(await leaving('Not Found\n')).toMatchObject({ hint: expect.stringContaining(alone) })
  const ids = await leaving('Not Found\n', { list: 'S1\n', signal: 'RECORD_ID' })
  expect(ids).toMatchObject({ hint: expect.not.stringContaining(alone) })
})

const HOMES = { list: 'address\n1 Hill Rd\n2 Hill Rd\n', signal: 'ADDRESS' } as const
const IDS = { list: 'id\nS1\nS2\na@b.test\n', signal: 'RECORD_ID' } as const

test.each<[string, string, Case, readonly string[]]>([
  ['no address beside the ids', 'record_id,email\nS1,\n', IDS, ['S2', 'a@b.test']],
  ['no id beside the addresses', 'record_id,email\n,a@b.test\n', IDS, ['S1', 'S2']],
  ['addresses that no id is', 'record_id,who\nS1,p1@x.test\n', { ...IDS, list: 'id\nS1\nS2\n' }, ['S2']],
  [
    'addresses that no hash is',
    'ip,who\n10.0.0.1,p1@x.test\n',
    { list: '10.0.0.1\n10.0.0.2\n', signal: 'IP' },
    ['10.0.0.2'],
  ],
  [
    'an entry and no rows',
    'contact,n\n',
    { configured: { column: 'contact', signal: 'EMAIL' } },
    ['p1@x.test', 'p2@x.test'],
  ],
  ['notes beside another signal', 'ip,note\n10.0.0.1,"a\nb,c"\n', {}, ['p1@x.test', 'p2@x.test']],
  ['notes below a name that nobody knows', 'Contact,n\na@x.test,"N\nM"\n', IDS, ['S1', 'S2', 'a@b.test']],
  [
    'an odd address among ids, where it is no matter',
    'id\np1%40x.test\n',
    { ...FOR_IP, configured: OWN },
    ['10.0.0.1'],
  ],
  ['a postal address among ids', 'id\n1 hill rd\n', { ...HOMES, configured: OWN }, ['2 HILL RD']],
  ['postal addresses in a note, too', 'address,note\n1 Hill Rd,2 Hill Rd\n', HOMES, ['2 HILL RD']],
  ['an entry for other ids', 'S1\n', { ...IDS, configured: { column: 1, signal: 'BGID' } }, ['S1', 'S2', 'a@b.test']],
  ['an id with a sign for many', 'id\n*@b.test\n', { ...IDS, list: 'id\n*@b.test\nS1\n', configured: OWN }, ['S1']],
])('a file with %s is taken', async (_what, content, how, of) => {
  expect(await leaving(content, how)).toEqual({ of })
})

test.each<[string, string, Case, string]>([
  ['no address in its column', 'email,n\n,1\n', {}, `the opt-out list out.csv has no EMAIL key, ${PREPARED}`],
  ['no key in a column that nobody knows', 'Contact,n\n,1\n', {}, `${NO_PROOF}it has no key`],
  ['an error', '404\n', {}, `${NO_PROOF}line 1 is neither a key nor a header`],
  ['an error of two words', 'Not Found\n', {}, `${NO_PROOF}it has a header and no rows`],
  ['objects that name nothing', '{"n":1}\n', {}, `${NO_PROOF}its lines are not objects that name a signal`],
])('a file with %s says so', async (_what, content, how, message) => {
  expect(await leaving(content, how)).toMatchObject({ code: 'opt-outs-unusable', message })
})

test('hashes of addresses in a list for another signal do not get past an invisible address', async () => {
  const list = `ip\n${sha('p1@x.test')}\n10.0.0.9\n`
  expect(await leaving('idfa,who\n,p1@x.test\n', { list, signal: 'IP' })).toMatchObject({ code: 'opt-outs-unusable' })
})

test('a file of people asks only for the people in its column, and for no hash in other columns', async () => {
  expect(await asking(`email,note\np1@x.test,${sha('p2@x.test')}\n`)).toMatchObject({ keys: 1 })
})

test.each<[string, string, FileSignal, string]>([
  [
    'a row that cannot be used',
    'email\np1@x.test\nnobody\n',
    'EMAIL',
    'of the 2 rows of out.csv, 1 cannot be used, so no list was searched; the first is on line 3',
  ],
  [
    'a device in another column',
    `email,phone\np1@x.test,${DEVICE}\n`,
    'IDFA',
    'no list was searched: out.csv has IDFA keys in its column 2 ("phone"), and the name of that column does not say so; the first is on line 2',
  ],
  [
    'an address in another column, and a row that cannot be used',
    'email,who\np1@x.test,p2@x.test\nnobody,\n',
    'EMAIL',
    'no list was searched: out.csv has EMAIL keys in its column 2 ("who"), and the name of that column does not say so; the first is on line 2',
  ],
])('a file of people with %s is refused before anybody is looked for', async (_what, content, signal, message) => {
  const hint = expect.not.stringContaining('privacy.suppress')
  expect(await asking(content, signal)).toMatchObject({ code: 'opt-outs-unusable', message, hint })
})
