import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { OptOutFile } from '../../src/core/privacy.ts'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench, parquetOf } from './list-bench.ts'

const hash = (kind: string, text: string) => createHash(kind).update(text).digest('hex')
const sha = (text: string) => hash('sha256', text)
const DEVICE = '6d92078a-8246-4ba4-ae5b-76104861e7dc'
const PEOPLE = 'email\np1@x.test\np2@x.test\np3@x.test\n'

/** The keys of a list while an opt-out file is in force; the error if there is none. */
async function leaving(
  content: string | Uint8Array,
  {
    list = PEOPLE,
    request = {},
    entries = (file) => [file],
  }: {
    list?: string
    request?: Partial<ListRequest>
    entries?: (file: string) => readonly OptOutFile[]
  } = {},
) {
  const file = join(tempFolder(), 'who-left.csv')
  writeFileSync(file, content)
  const bench = listBench({ suppress: entries(file) })
  await bench.prepare(list, { column: 1, ...request })
  return readFileSync(bench.lists.fileOf(bench.place), 'utf8').split('\n').slice(1, -1)
}

/** Headers of exports, as the programs write them. */
const EXPORTS: readonly [program: string, header: string, row: (email: string) => string][] = [
  ['HubSpot', 'Record ID,First Name,Last Name,Email Address,Lifecycle Stage', (email) => `551,Ann,Fox,${email},Lead`],
  ['HubSpot', 'Record ID - Contact,Email,Unsubscribed from all email', (email) => `551,${email},true`],
  ['HubSpot', 'RECIPIENT,REASON', (email) => `${email},UNSUBSCRIBED_FROM_ALL`],
  [
    'Mailchimp',
    '"Email Address","First Name","MEMBER_RATING","OPTIN_TIME","UNSUB_TIME","UNSUB_REASON","LEID","EUID","NOTES","TAGS"',
    (email) => `"${email}","Ann",2,"2026-01-02 10:00:00","2026-02-03 11:00:00","N/A",42,"a1b2c3d4e5","",""`,
  ],
  [
    'Salesforce',
    '"Id","FirstName","PersonEmail","HasOptedOutOfEmail"',
    (email) => `"003Qy00000ABCdeIAG","Ann","${email}","1"`,
  ],
  ['Salesforce', 'Contact ID,Contact Email,Email Opt Out', (email) => `003Qy00000ABCdeIAG,${email},1`],
  ['Marketing Cloud', 'SubscriberKey|EmailAddress|DateUnsubscribed', (email) => `0031|${email}|1/2/2026 3:04:05 AM`],
  ['Marketing Cloud', 'Subscriber Key,Email Address,Status', (email) => `0031,${email},Unsubscribed`],
  [
    'Klaviyo',
    '"Email","Klaviyo ID","First Name","Email Suppressions"',
    (email) => `"${email}","01H8","Ann","[""UNSUBSCRIBE""]"`,
  ],
  ['Klaviyo', 'Profile ID,Profile Email,Reason', (email) => `01H8,${email},USER_SUPPRESSED`],
  ['SendGrid', 'email,created', (email) => `${email},1767323045`],
  ['SendGrid', 'status,reason,email,created', (email) => `550,mailbox full,${email},1767323045`],
  ['Braze', 'external_id,email,email_subscribe', (email) => `u-17,${email},unsubscribed`],
  ['OneTrust', 'Identifier Type,Data Subject Email,Purpose,Status', (email) => `Email,${email},Ads,WITHDRAWN`],
  ['OneTrust', 'Request ID;Requester Email;Status', (email) => `AB12;${email};Completed`],
  ['Marketo', 'Id,First Name,Email Address,Unsubscribed', (email) => `1017,Ann,${email},true`],
  ['Google contacts', 'Name,E-mail 1 - Value,E-mail 1 - Type', (email) => `Ann,${email},Home`],
  ['Shopify', 'Customer ID,Customer Email,Accepts Email Marketing', (email) => `'7001,${email},no`],
  ['Iterable', 'userId,email_address,channelIds', (email) => `u-17,${email},"1,2"`],
  ['Brevo', 'CONTACT ID;EMAIL;BLOCKED', (email) => `17;${email};true`],
  ['a German program', 'Kunde;E-Mail-Adresse;Datum', (email) => `17;${email};01.02.2026`],
  ['a French program', 'Client;Adresse e-mail;Date', (email) => `17;${email};01/02/2026`],
  ['a Spanish program', 'Cliente;Correo electrónico;Fecha', (email) => `17;${email};01/02/2026`],
  ['a Japanese program', '番号,メールアドレス', (email) => `17,${email}`],
  ['a short header', 'mail,ip', (email) => `${email},10.0.0.1`],
  ['a short header', 'ip,mail', (email) => `10.0.0.1,${email}`],
  ['hashes', 'idfa,email_sha256', (email) => `,${sha(email)}`],
  ['hashes', 'id,Hashed Email', (email) => `7,${sha(email).toUpperCase()}`],
]

describe('the usual names of columns in exports are known', () => {
  test.each(EXPORTS)('%s: %s', async (_program, header, row) => {
    const content = [header, row('p1@x.test'), row('p2@x.test'), ''].join('\r\n')
    expect(await leaving(`\ufeff${content}`)).toEqual(['p3@x.test'])
  })
})

/** A note about somebody who opted out: `p2@x.test` with something around it. */
const AROUND: readonly string[] = [
  'p2@x.test;p9@x.test',
  'mailto:p2@x.test',
  'smtp:p2@x.test',
  'Pat Two <p2@x.test>',
  'p2@x.test.',
  '["p2@x.test"]',
  'asked by p2@x.test on the phone',
  '“p2@x.test”',
  '联系p2@x.test谢谢',
  'p2 @ x.test',
  'p2%40x.test',
  'p2&#64;x.test',
  'p2\\u0040x.test',
  'p2＠x.test',
  're: ｐ２＠ｘ．ｔｅｓｔ',
  'ｐ2@ｘ.test',
  'p2@x．test',
  'p2@x%2Etest',
  '{"by":"p2@x.test"}',
]

const row = (email: string) => `{"ip":"10.0.0.1","who":${email}}\n`

/** Files with addresses in columns whose names do not say so: each once let everybody through, or could have. */
const HIDDEN: readonly [what: string, content: string | Uint8Array | Promise<Uint8Array>][] = [
  ['beside a column of another signal', 'ip,who\n10.0.0.1,p1@x.test\n'],
  ['before a column of another signal', 'who,ip\np1@x.test,10.0.0.1\n'],
  ['in a column of another signal', 'idfa\np1@x.test\np2@x.test\n'],
  ['in a column of ids', 'record_id,name\np1@x.test,Ann\n'],
  ['in one row of another signal', `idfa\n${DEVICE}\np1@x.test\n`],
  ['a second address', 'email,secondary_email\np1@x.test,p2@x.test\n'],
  ['a second address in one row', 'email,agent\np1@x.test,\np3@x.test,p2@x.test\n'],
  ['two columns of the signal', 'Email,Work Email\np1@x.test,p2@x.test\n'],
  ['two columns of the signal, one blank at times', 'email,contact_email\np1@x.test,\n,p2@x.test\n'],
  ['two columns of the signal, one with what is no key', 'email,contact_email\np1@x.test,p2 at x\n'],
  ['such a column beside another', 'email,contact_email,n\np1@x.test,p2 at x,1\n'],
  ['with a name before it', 'ip,who\n10.0.0.1,Pat One <p1@x.test>\n'],
  ['several in a field', 'ip,who\n10.0.0.1,"p1@x.test; p2@x.test"\n'],
  ['in a note', 'ip,note\n10.0.0.1,asked by p1@x.test\n'],
  ['in quotes of another kind', "ip,who\n10.0.0.1,'p1@x.test'\n10.0.0.2,x\n10.0.0.3,y\n"],
  ['a second address in quotes of another kind', `email,agent\np1@x.test,x\n"p3@x.test",'p2@x.test'\n`],
  ['in a URL', 'ip,page\n10.0.0.1,https://x.test/?u=p1%40x.test&x=1\n'],
  ['with a wide sign', 'ip,who\n10.0.0.1,p1＠x.test\n'],
  ['a second address in a column that is called alike', 'email,email note\np1@x.test,<p2@x.test>\n'],
  ['as a hash', `ip,token\n10.0.0.1,${sha('p1@x.test')}\n`],
  ['as a hash that cannot be compared', `ip,email_md5\n10.0.0.1,${hash('md5', 'p1@x.test')}\n`],
  ['as a hash in rows without an address', `email,token\np2@x.test,\n,${sha('p1@x.test')}\n`],
  ['as hashes that cannot be compared, among addresses', `p1@x.test\n${hash('md5', 'p2@x.test')}\n`],
  ['in capitals, full width and with blanks', 'ip,who\n10.0.0.1,\u200b P1@X.TEST\u3000\n'],
  ['far to the right', `ip${',x'.repeat(120)},who\n10.0.0.1${','.repeat(120)},p1@x.test\n`],
  ['in the header', 'ip,p1@x.test\n10.0.0.1,x\n'],
  ['not in the first column', 'Customer,Since,Who\n7,2026-01-01,p1@x.test\n'],
  ['NDJSON', row('"p1@x.test"')],
  ['NDJSON, deeper', row('{"contact":{"mail":"p1@x.test"}}')],
  ['NDJSON, a list', row('["p1@x.test","p2@x.test"]')],
  ['NDJSON, a name', '{"ip":"10.0.0.1","p1@x.test":true}\n'],
  ['NDJSON, a second address', '{"email":"p1@x.test","backup":"p2@x.test"}\n'],
  ['NDJSON, one line', `{"ip":"10.0.0.2"}\n${row('"p1@x.test"')}`],
  ['NDJSON, a line that is none', '{"ip":"10.0.0.2"}\np1@x.test\n'],
  ['NDJSON, the same name twice', '{"ip":"10.0.0.2","who":"x","who":"p1@x.test"}\n'],
  ['Parquet', parquetOf(`SELECT '10.0.0.1' AS ip, 'p1@x.test' AS who`)],
  ['Parquet, a struct', parquetOf(`SELECT '10.0.0.1' AS ip, {'mail': 'p1@x.test'} AS who`)],
  ['Parquet, a list', parquetOf(`SELECT '10.0.0.1' AS ip, ['p1@x.test', 'p2@x.test'] AS who`)],
  ['Parquet, a second address', parquetOf(`SELECT 'p1@x.test' AS email, 'p2@x.test' AS backup`)],
  ['Parquet, another signal', parquetOf(`SELECT 'p1@x.test' AS idfa`)],
]

describe('nobody who is anywhere in an opt-out file is sent', () => {
  const formats: readonly [format: string, (note: string) => string | Promise<Uint8Array>][] = [
    ['CSV', (note) => `email,note\np1@x.test,"${note.replaceAll('"', '""')}"\n`],
    ['NDJSON', (note) => `${JSON.stringify({ email: 'p1@x.test', by: { note: [note] } })}\n`],
    ['Parquet', (note) => parquetOf(`SELECT 'p1@x.test' AS email, '${note}' AS note`)],
  ]

  test.each(AROUND)('%s', async (note) => {
    for (const [format, written] of note.startsWith('m') ? formats : formats.slice(0, 1)) {
      const error = await leaving(await written(note)).catch((caught) => caught)
      expect(error, format).toMatchObject({
        code: 'opt-outs-unusable',
        message: expect.stringMatching(/who-left\.csv has EMAIL keys in /),
        hint: expect.stringContaining('one entry for each column whose people opted out'),
      })
      expect(error.message + error.hint).not.toContain('x.test')
    }
  })

  test('even if no column is for e-mail addresses, and in a column for another signal', async () => {
    for (const content of [
      'ip,note\n10.0.0.1,mailto:p2@x.test\n',
      'idfa,email note\n,<p2@x.test>\n',
      'ip\n<p2@x.test>\n',
    ])
      await expect(leaving(content)).rejects.toMatchObject({ code: 'opt-outs-unusable' })
  })

  test('an entry reads its column, and nothing else', async () => {
    const entries = (file: string) => [{ file, column: 'email', signal: 'EMAIL' }]
    const content = `email,note\np1@x.test,mailto:p2@x.test ${sha('p3@x.test')}\n`
    expect(await leaving(content, { entries })).toEqual(['p2@x.test', 'p3@x.test'])
  })

  test.each(formats)('a hash, whatever is around it, is left out as well: %s', async (_format, written) => {
    for (const note of [sha('p2@x.test'), `sha256:${sha('p2@x.test')}`, `{"hem":"${sha('p2@x.test').toUpperCase()}"}`])
      expect(await leaving(await written(note)), note).toEqual(['p3@x.test'])
    expect(await leaving(await written(hash('sha512', 'p2@x.test')))).toEqual(['p2@x.test', 'p3@x.test'])
  })

  test('in a list of ids, so are device ids and IP addresses', async () => {
    const request = { signal: 'RECORD_ID', column: 1 } as const
    const list = `id\n${DEVICE}\n10.0.0.1\n2001:db8::1\nS1\nS2\n`
    for (const [content, stay] of [
      [`record_id,device\nS1,{${DEVICE}}\n`, ['10.0.0.1', '2001:db8::1', 'S2']],
      [`record_id,note\nS1,urn:uuid:${DEVICE.toUpperCase()}\n`, ['10.0.0.1', '2001:db8::1', 'S2']],
      [`record_id,note\nS1,${DEVICE.replaceAll('-', '\u00ad')}\n`, ['10.0.0.1', '2001:db8::1', 'S2']],
      [`record_id\n{${DEVICE}}\n`, ['10.0.0.1', '2001:db8::1', 'S1', 'S2']],
      ['record_id,seen\nS1,10.0.0.1:443\nS2,ip:2001:db8::1\n', [DEVICE]],
      ['record_id,net\nS1,10.0.0.1/32 and [2001:db8::1]:80\n', [DEVICE, 'S2']],
    ] as const)
      expect(await leaving(content, { list, request }), content).toEqual(stay)
  })

  test('and ids in which they stand', async () => {
    const request = { signal: 'RECORD_ID', column: 1 } as const
    const list = `id\n{${DEVICE}}\n10.0.0.1:443\n"p2 @ x.test"\nsha256:${sha('p1@x.test')}\nS1\n`
    const content = `email,ip,idfa\np1@x.test,10.0.0.1,${DEVICE}\np2@x.test,,\n`
    expect(await leaving(content, { list, request })).toEqual(['S1'])
  })
})

describe('keys in a column whose name does not announce them are refused', () => {
  test.each(HIDDEN)('%s', async (_what, content) => {
    const error = await leaving(await content).catch((caught) => caught)
    expect(error).toMatchObject({ code: 'opt-outs-unusable', message: expect.stringContaining('who-left.csv') })
    expect(error.message + error.hint).not.toMatch(/x\.test|Pat|[0-9a-f]{32}/)
    expect(error.hint).toContain('privacy.suppress')
  })

  test.each(HIDDEN.slice(0, 5))('also for addresses in a list of ids: %s', async (_what, content) => {
    const list = 'record_id\np1@x.test\nS1\n'
    const request = { signal: 'RECORD_ID', column: 'record_id' } as const
    await expect(leaving(await content, { list, request })).rejects.toMatchObject({ code: 'opt-outs-unusable' })
  })

  test('the message says where, and the hint what to write', async () => {
    const error = await leaving('ip,Who\n10.0.0.1,\n10.0.0.2,p1@x.test\n').catch((caught) => caught)
    expect(error.message).toMatch(
      /^an opt-out list cannot be used, so nothing was prepared: .*who-left\.csv has EMAIL keys in its column 2 \("Who"\), and the name of that column does not say so; the first is on line 3$/,
    )
    expect(error.hint).toMatch(
      /write \{ file: .*who-left\.csv, column: 2, signal: EMAIL \} into privacy\.suppress of audience\.yaml/,
    )
  })

  test('what the hint says helps', async () => {
    const entries = (file: string) => [
      { file, column: 'email', signal: 'EMAIL' },
      { file, column: 2, signal: 'EMAIL' },
    ]
    expect(await leaving('email,secondary_email\np1@x.test,p2@x.test\n', { entries })).toEqual(['p3@x.test'])
    const one = (file: string) => [{ file, column: 'email', signal: 'EMAIL' }]
    expect(await leaving('email,agent\np1@x.test,p2@x.test\n', { entries: one })).toEqual(['p2@x.test', 'p3@x.test'])
    const other = (file: string) => [{ file, column: 'ip', signal: 'IP' }]
    expect(await leaving('ip,agent\n10.0.0.1,p2@x.test\n', { entries: other })).toHaveLength(3)
  })

  test.each<[string, Partial<ListRequest>, string, string]>([
    ['IP', { signal: 'IP' }, 'ip\n10.0.0.1\n10.0.0.2\n', 'email,seen from\np1@x.test,10.0.0.1\n'],
    ['IDFA', { signal: 'IDFA' }, `idfa\n${DEVICE}\n`, `email,phone\np1@x.test,${DEVICE}\n`],
    ['IDFA in a column for IP', { signal: 'IDFA' }, `idfa\n${DEVICE}\n`, `email,ip\np1@x.test,${DEVICE}\n`],
    ['RECORD_ID', { signal: 'RECORD_ID' }, 'S1\nS2\n', 'record_id,Record ID\nS1,S2\n'],
    ['AAID', { signal: 'AAID' }, `aaid\n${DEVICE}\n`, `email,phone\np1@x.test,${DEVICE.toUpperCase()}\n`],
  ])('%s', async (_signal, request, list, content) => {
    await expect(leaving(content, { list, request })).rejects.toMatchObject({ code: 'opt-outs-unusable' })
  })
})

describe('a value in another column that is not a key of the signal is fine', () => {
  test.each<[string, string | Promise<Uint8Array>]>([
    ['a handle, a time and a sign alone', 'email,note,at\np1@x.test,@p2.test,10:30 @ home\n'],
    ['the hash of the address beside it', `email,token\np1@x.test,${sha('p1@x.test')}\n`],
    [
      'hashes that cannot be compared, in a column that is called otherwise',
      `email,n\np1@x.test,\n,${hash('md5', 'x')}\n`,
    ],
    ['a second column that is blank', 'email,work email\np1@x.test,\n'],
    ['ids of other kinds', `email,record_id,idfa\np1@x.test,${sha('x')},${sha('y')}\n`],
    ['NDJSON with more', '{"email":"p1@x.test","since":1,"by":{"name":"Ann","tags":["a"]}}\n'],
    [
      'Parquet with more',
      parquetOf(`SELECT 'p1@x.test' AS email, DATE '2026-01-01' AS since, ['a'] AS tags, 1.5 AS score`),
    ],
  ])('%s', async (_what, content) => {
    expect(await leaving(await content)).toEqual(['p2@x.test', 'p3@x.test'])
  })

  test('files for other signals', async () => {
    for (const content of [
      `ip,idfa,record_id\n10.0.0.1,${sha('x')},${sha('p4@x.test')}\n`,
      `idfa,aaid\n${DEVICE},\n`,
      '{"ip":"10.0.0.1","since":2}\n',
    ])
      expect(await leaving(content)).toHaveLength(3)
    const request = { signal: 'AAID' } as const
    const list = `aaid\n${DEVICE}\n${DEVICE.replace('6d', '7d')}\n`
    expect(await leaving(`idfa,since\n${DEVICE},2026\n`, { list, request })).toEqual([DEVICE.replace('6d', '7d')])
  })
})

test('the line of a stray hash is found behind a field of many blanks', async () => {
  // Checking again at each space would block the process for many minutes.
  const blanks = `x${' '.repeat(1_000_000)}x`
  await expect(leaving(`email,email_md5\n,${blanks}\n,${hash('md5', 'p1@x.test')}\n`)).rejects.toMatchObject({
    message: expect.stringMatching(/has EMAIL keys in its column 2 .* the first is on line 3/),
  })
})
