import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import type { OptOutFile } from '../../src/core/privacy.ts'
import { decompressWithin } from '../../src/lists/decompress.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { writeForms } from '../../src/lists/write-forms.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const sandboxes = new Sandboxes(LIST_LIMITS)
const DEVICE = '6d92078a-8246-4ba4-ae5b-76104861e7dc'
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

interface Case {
  readonly list?: string
  readonly signal?: FileSignal
  /** What audience.yaml says of the file, but its path. */
  readonly configured?: Omit<Exclude<OptOutFile, string>, 'file'>
}

/** The keys that leave while a file of this content is in force; or what is said of `out.csv`. */
async function leaving(content: string, { list = 'p1@x.test\np2@x.test\n', signal = 'EMAIL', configured }: Case = {}) {
  const file = join(tempFolder(), 'out.csv')
  writeFileSync(file, content)
  const bench = listBench({ suppress: [configured === undefined ? file : { file, ...configured }] })
  return bench.prepare(list, { column: 1, signal }).then(
    () => ({ of: bench.content().split('\n').slice(1, -1) }),
    (error) => said(error, file),
  )
}

/** What a file of people asks for; or what is said of `out.csv`. */
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

test.each<[string, string, string]>([
  [
    'a second column of the name',
    'email,contact_email\np1@x.test,\n,p2@x.test\n',
    'out.csv has EMAIL keys in its column 2 ("contact_email"), and another column has that name too; the first is in line 3',
  ],
  [
    'a field of objects',
    '{"ip":"10.0.0.1"}\n{"ip":"10.0.0.2","who":"p1@x.test"}\n',
    'out.csv has EMAIL keys in one of its columns ("who"), and the name of that column does not say so; the first is in line 2',
  ],
  [
    'a column whose name may be a person',
    'ip,ann.fox\n10.0.0.1,p1@x.test\n',
    'out.csv has EMAIL keys in its column 2, and the name of that column does not say so; the first is in line 2',
  ],
  [
    'a column beside one that nobody knows',
    'Customer,Who\n7,p1@x.test\n',
    'out.csv has EMAIL keys in its column 2 ("Who"), and the name of that column does not say so; the first is in line 2',
  ],
])('addresses in %s: the message says where', async (_what, content, why) => {
  const message = `an opt-out list cannot be used, ${PREPARED}: ${why}`
  expect(await leaving(content)).toMatchObject({ code: 'opt-outs-unusable', message })
})

test('what is to be written into audience.yaml has the number or the name of the column', async () => {
  const entry = (column: string) => expect.stringContaining(`{ file: out.csv, column: ${column}, signal: EMAIL }`)
  expect(await leaving('ip,who\n10.0.0.1,p1@x.test\n')).toMatchObject({ hint: entry('2') })
  expect(await leaving('{"ip":"10.0.0.1","who":"p1@x.test"}\n')).toMatchObject({ hint: entry('"who"') })
})

test.each<[string, string, Case, string]>([
  ['a row', 'email\np1@x.test\nnobody\n', {}, '2 rows of the opt-out list out.csv, 1 cannot'],
  ['the only row', 'email\nnobody\n', {}, '1 rows of the opt-out list out.csv, 1 cannot'],
  ['a header with a key', 'email,p1@x.test\np2@x.test,\n', {}, '2 rows of the opt-out list out.csv, 1 cannot'],
  ['a line', '{"email":"p1@x.test"}\nnobody\n', {}, '2 rows of the opt-out list out.csv, 1 cannot'],
  [
    'a row for IP',
    'ip\n10.0.0.1\nnobody\n',
    { signal: 'IP', list: '10.0.0.1\n' },
    '2 rows of the opt-out list out.csv, 1 cannot',
  ],
])('each row that cannot be used is counted once: %s', async (_what, content, how, rows) => {
  expect(await leaving(content, how)).toMatchObject({
    message: expect.stringMatching(`^of the ${rows} be used, ${PREPARED}; the first is in line [123]$`),
    hint: expect.stringContaining(how.signal === undefined ? 'have the address alone' : 'have the key alone'),
  })
})

test('only of keys that have a form may a file be nothing but keys', async () => {
  const alone = 'or one key per line and nothing else'
  expect(await leaving('Not Found\n')).toMatchObject({ hint: expect.stringContaining(alone) })
  const ids = await leaving('Not Found\n', { list: 'S1\n', signal: 'RECORD_ID' })
  expect(ids).toMatchObject({ hint: expect.not.stringContaining(alone) })
})

const OWN = { column: 1, signal: 'RECORD_ID' }
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
  ['an entry for other ids', 'S1\n', { ...IDS, configured: { column: 1, signal: 'BGID' } }, ['S1', 'S2', 'a@b.test']],
  ['an id with a sign for many', '*@b.test\n', { ...IDS, list: 'id\n*@b.test\nS1\n', configured: OWN }, ['S1']],
])('a file with %s is taken', async (_what, content, how, of) => {
  expect(await leaving(content, how)).toEqual({ of })
})

test.each<[string, string, Case, string]>([
  ['no address in its column', 'email,n\n,1\n', {}, `the opt-out list out.csv has no EMAIL key, ${PREPARED}`],
  [
    'no key in a column that nobody knows',
    'Contact,n\n,1\n',
    {},
    `out.csv does not prove that it is an opt-out list, ${PREPARED}: it has no key`,
  ],
  [
    'objects that name nothing',
    '{"n":1}\n',
    {},
    `out.csv does not prove that it is an opt-out list, ${PREPARED}: its lines are not objects that name a signal`,
  ],
])('a file with %s says so', async (_what, content, how, message) => {
  expect(await leaving(content, how)).toMatchObject({ code: 'opt-outs-unusable', message })
})

test('hashes of addresses in a list for another signal do not leave past an address that nobody sees', async () => {
  const list = `ip\n${sha('p1@x.test')}\n10.0.0.9\n`
  expect(await leaving('idfa,who\n,p1@x.test\n', { list, signal: 'IP' })).toMatchObject({ code: 'opt-outs-unusable' })
})

test('a file of people asks for those in its column, and for no hash elsewhere', async () => {
  expect(await asking(`email,note\np1@x.test,${sha('p2@x.test')}\n`)).toMatchObject({ keys: 1 })
})

test.each<[string, string, FileSignal, string]>([
  [
    'a row that cannot be used',
    'email\np1@x.test\nnobody\n',
    'EMAIL',
    'of the 2 rows of out.csv, 1 cannot be used, so no list was searched; the first is in line 3',
  ],
  [
    'a device in another column',
    `email,phone\np1@x.test,${DEVICE}\n`,
    'IDFA',
    'an opt-out list cannot be used, so no list was searched: out.csv has IDFA keys in its column 2 ("phone"), and the name of that column does not say so; the first is in line 2',
  ],
  [
    'an address in another column, and a row that cannot be used',
    'email,who\np1@x.test,p2@x.test\nnobody,\n',
    'EMAIL',
    'an opt-out list cannot be used, so no list was searched: out.csv has EMAIL keys in its column 2 ("who"), and the name of that column does not say so; the first is in line 2',
  ],
])('a file of people with %s is refused before anybody is looked for', async (_what, content, signal, message) => {
  expect(await asking(content, signal)).toMatchObject({ code: 'opt-outs-unusable', message })
})
