import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { OptOutFile } from '../../src/core/privacy.ts'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name))
const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index + 1}@x.test`)
const EMAIL = { column: 'email', signal: 'EMAIL' } as const
const IDS = { column: 1, signal: 'RECORD_ID' } as const

interface Case {
  readonly list?: string | Uint8Array
  readonly optOuts?: readonly (string | Uint8Array)[]
  readonly request?: Partial<ListRequest>
  /** The settings of each opt-out list in audience.yaml, without its path. */
  readonly configured?: Omit<Exclude<OptOutFile, string>, 'file'>
}

/** The figures and the keys of a list. */
async function prepared({
  list = `email\n${people(3).join('\n')}\n`,
  optOuts = [],
  request = EMAIL,
  configured,
}: Case) {
  const folder = tempFolder()
  const suppress = optOuts.map((content, index) => {
    const file = join(folder, `opt-outs-${index}.csv`)
    writeFileSync(file, content)
    return configured === undefined ? file : { file, ...configured }
  })
  const bench = listBench({ suppress })
  const figures = await bench.prepare(list, request)
  const keys = bench.content().split('\n').slice(1, -1)
  return { ...figures, of: keys }
}

describe('invisible characters make nobody another person', () => {
  test('in a list', async () => {
    const { of, ...figures } = await prepared({ list: fixture('lists/invisible.csv') })
    expect(figures).toMatchObject({ rows: 16, keys: 10, duplicates: 6, bad: 0 })
    expect(of).toEqual(people(10).sort())
  })

  test('in an opt-out list', async () => {
    expect(await prepared({ optOuts: [fixture('opt-outs/invisible.csv')] })).toMatchObject({ of: ['p3@x.test'] })
    const list = `email\n\u200bp1@x.test\np2@x.te\u00adst\u3000\np3@x.test\n`
    expect(await prepared({ list, optOuts: ['p1@x.test\np2@x.test\n'] })).toMatchObject({ of: ['p3@x.test'] })
  })

  test('in a header', async () => {
    for (const header of ['em\u200bail,n', '\ufeff\ufeff"email",n', '\u00ademail\u2060,n', '\u3000E\ufeffMAIL ,n']) {
      const list = `${header}\np1@x.test,1\np2@x.test,2\n`
      for (const request of [
        EMAIL,
        { column: 1, signal: 'EMAIL' },
        { sql: 'SELECT email FROM input', signal: 'EMAIL' },
      ] as const)
        expect(await prepared({ list, request }), header).toMatchObject({ bad: 0, of: people(2) })
      expect(await prepared({ optOuts: [list] })).toMatchObject({ of: ['p3@x.test'] })
      const configured = { column: 'email', signal: 'EMAIL' }
      expect(await prepared({ optOuts: [list], configured })).toMatchObject({ of: ['p3@x.test'] })
    }
    const objects = '{"em\u200bail":"p1@x.test"}\n{"email":"p2@x.test","n":"é"}\n'
    expect(await prepared({ list: objects })).toMatchObject({ empty: 0, bad: 0, of: people(2) })
  })

  test.each([
    [
      'files that were joined',
      fixture('lists/bom-in-the-middle.csv'),
      { rows: 10, keys: 10, bad: 0, of: people(10).sort() },
    ],
    [
      'files in quotes that were joined',
      '\ufeff"p1@x.test","a"\r\n\ufeff"p2@x.test","b, c"\r\n"p3@x.test","d"\r\n',
      { rows: 3, keys: 3, bad: 0, of: people(3) },
    ],
    [
      'a file with two marks and quotes',
      '\ufeff\ufeff"p1@x.test",1\n\ufeff\ufeffp2@x.test,2\n',
      { rows: 2, keys: 2, bad: 0, of: people(2) },
    ],
    [
      'files with headers that were joined',
      '\ufeff"email"\n"p1@x.test"\n\ufeff"email"\n"p2@x.test"\n',
      { rows: 3, keys: 2, bad: 1, of: people(2) },
    ],
  ])('%s', async (_name, list, figures) => {
    expect(await prepared({ list, request: { column: 1, signal: 'EMAIL' } })).toMatchObject(figures)
  })

  test('ids stay as they are, except for invisible characters; people who opted out are found with blanks, too', async () => {
    const list = 'S1\n\ufeffS2\nS\u200b3 \n S4\n'
    expect(await prepared({ list, request: IDS })).toMatchObject({ of: [' S4', 'S1', 'S2', 'S3 '] })
    const optOuts = ['record_id\nS1 \nS3\nS4\n']
    expect(await prepared({ list, optOuts, request: IDS })).toMatchObject({ suppressed: 3, of: ['S2'] })
  })
})

describe('what is not an address is bad, and an error in opt-outs', () => {
  const WRONG = [
    'smtp:p1@x.test',
    '(p1@x.test)',
    '<p1@x.test>',
    'p1@x.test.',
    "'p1@x.test'",
    'p1@x.test;',
    'mailto:p1@x.test',
  ]

  test.each(WRONG)('%s', async (text) => {
    const list = `email,n\n"${text}",1\np2@x.test,2\np3@x.test,3\n`
    expect(await prepared({ list })).toMatchObject({ rows: 3, keys: 2, bad: 1 })
    // If the whole file has these quotes and delimiters, they are its dialect, and the person is suppressed.
    for (const optOuts of [`email\n${text}\np2@x.test\n`, `${text}\np2@x.test\n`, `p2@x.test\n${text}\n`, text]) {
      const result = await prepared({ optOuts: [optOuts] }).catch((error) => error)
      if (result.of) expect(result.of).not.toContain('p1@x.test')
      else expect(result).toMatchObject({ code: 'opt-outs-unusable' })
    }
  })
})

describe('a record that swallowed rows is not one row', () => {
  test.each([
    ['quotes that a distance apart close each other', fixture('lists/quote-pair.csv'), { rows: 10, keys: 1, bad: 9 }],
    ['and one more quote', fixture('lists/quote-pair-and-one-more.csv'), { rows: 11, keys: 1, bad: 10 }],
    ['one row is swallowed', 'email,name\np1@x.test,"Bob\np2@x.test,Al"\np3@x.test,N\n', { rows: 3, keys: 1, bad: 2 }],
    [
      'quotes before the key',
      'name,email,city\n"Bob,p1@x.test,Rome\nN,p2@x.test,Rome\nAl",p3@x.test,Rome\nN,p4@x.test,Rome\n',
      { rows: 4, keys: 1, bad: 3 },
    ],
    ['one column', 'email\n"p1@x.test\np2@x.test\np3@x.test"\np4@x.test\n', { rows: 4, keys: 1, bad: 3 }],
    [
      'a blank before the quote',
      'email,name\np1@x.test, "Bob\np2@x.test,N\np3@x.test,Al"\np4@x.test,N\n',
      { rows: 4, keys: 1, bad: 3 },
    ],
    [
      'line ends of Windows',
      'email,name\r\np1@x.test,"Bob\r\np2@x.test,Al"\r\np3@x.test,N\r\n',
      { rows: 3, keys: 1, bad: 2 },
    ],
    [
      'a line end of old Macs behind a quote',
      'email,name\np1@x.test,"Bob"\rp2@x.test,N\np3@x.test,N\n',
      { rows: 3, keys: 3, bad: 0 },
    ],
    ['three quotes in a row', 'email,name\np1@x.test,"""\np2@x.test,N\np3@x.test,N\n', { rows: 3, keys: 2, bad: 1 }],
    [
      'a quote that the next one breaks',
      'email,name\np1@x.test,"Bob\np2@x.test,"Al"\np3@x.test,N\n',
      { rows: 3, keys: 2, bad: 1 },
    ],
    [
      'a note of several lines',
      'email,note\np1@x.test,"12 Hill Rd\nSpringfield, IL"\np2@x.test,N\n',
      { rows: 2, keys: 2, bad: 0 },
    ],
    [
      'a note with an address alone in a line',
      'email,note\np1@x.test,"asked by\np9@x.test\ntoday"\np2@x.test,N\n',
      { rows: 2, keys: 2, bad: 0 },
    ],
    ['a name of several lines', 'name,email\n"Bob\nSmith",p1@x.test\nN,p2@x.test\n', { rows: 2, keys: 2, bad: 0 }],
    ['a header of several lines', 'email,"first\nname"\np1@x.test,N\np2@x.test,"N\nM"\n', { rows: 2, keys: 2, bad: 0 }],
  ])('%s', async (_name, list, figures) => {
    expect(await prepared({ list })).toMatchObject(figures)
    expect(await prepared({ list, request: { sql: 'SELECT email FROM input', signal: 'EMAIL' } })).toMatchObject(
      figures,
    )
  })

  test('a header that leaves a quote open is an error', async () => {
    const list = 'email,"name\np1@x.test,N\np2@x.test,N"\np3@x.test,N\n'
    await expect(prepared({ list })).rejects.toMatchObject({
      code: 'list-unreadable',
      message: expect.stringContaining('its header leaves a quote open'),
    })
    expect(await prepared({ list: 'email,"name\np1@x.test,N\np2@x.test,N\n' })).toMatchObject({ rows: 2, keys: 2 })
  })

  test('without a header, the first rows that a lost quote joins are bad', async () => {
    const list = 'p1@x.test,"N\np2@x.test,N"\np3@x.test,N\n'
    expect(await prepared({ list, request: { column: 1 } })).toMatchObject({ bad: 2, of: ['p3@x.test'] })
  })

  test('in opt-outs it is an error with its line', async () => {
    await expect(prepared({ optOuts: [fixture('opt-outs/quote-pair.csv')] })).rejects.toMatchObject({
      code: 'opt-outs-unusable',
      message: expect.stringMatching(
        /^of the 3 rows of .*, 3 cannot be used, .* the first is on line 2, which opens a quote and does not close it$/,
      ),
    })
  })
})

describe('ids are not split at a sign', () => {
  test.each(['|', ';', ',', '\t'])('%j', async (sign) => {
    const list = fixture('lists/ids-with-a-bar.csv').toString().replaceAll('|', sign)
    for (const signal of ['RECORD_ID', 'BGID', 'PARTNER_RECORD_ID'] as const) {
      expect(await prepared({ list, request: { column: 1, signal } })).toMatchObject({
        rows: 4,
        keys: 4,
        duplicates: 0,
      })
    }
    expect(await prepared({ list: `record_id${sign}n\n${list}`, request: IDS })).toMatchObject({
      keys: 3,
      duplicates: 1,
    })
    expect(await prepared({ list: `id\n${list}`, request: IDS })).toMatchObject({ keys: 4 })
  })

  test('a document says what stands between the columns', async () => {
    const list = fixture('lists/ids-with-a-bar.csv')
    const bench = listBench()
    const file = join(bench.base, 'people')
    const ask = (delimiter: 'none' | '|' | ';', column: number | string = 1) =>
      bench.prepare(list, { from: { file, delimiter }, column, signal: 'RECORD_ID' })
    expect(await ask('|')).toMatchObject({ keys: 3, duplicates: 1 })
    expect(await ask('|', 2)).toMatchObject({ keys: 4 })
    expect(await ask('none')).toMatchObject({ keys: 4 })
    expect(await ask(';')).toMatchObject({ keys: 4 })
    await expect(bench.prepare(list, { column: 2, signal: 'RECORD_ID' })).rejects.toMatchObject({
      code: 'list-no-column',
    })
  })

  test('an address without a header keeps its commas', async () => {
    const list = '12 Hill Rd, Apt 1\n12 Hill Rd, Apt 2\n'
    expect(await prepared({ list, request: { column: 1, signal: 'ADDRESS' } })).toMatchObject({ keys: 2 })
  })
})

const zip = Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1')
const gzipTwice = gzipSync(gzipSync('email\np1@x.test\n'))

describe('a file is recognised by its content', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['a ZIP archive', zip, 'a ZIP archive or an Excel workbook'],
    ['a ZIP archive in gzip', gzipSync(zip), 'a ZIP archive or an Excel workbook'],
    ['gzip in gzip', gzipTwice, 'compressed again, with gzip'],
    ['gzip in Zstandard', zstdCompressSync(gzipSync('email\n')), 'compressed again, with gzip'],
    ['UTF-16', Buffer.from('\ufeffemail\np1@x.test\n', 'utf16le'), 'UTF-16'],
    ['UTF-16 without a mark', Buffer.from('email\np1@x.test\n', 'utf16le'), 'UTF-16'],
    ['big-endian UTF-16', Buffer.from('\ufeffemail\np1@x.test\n', 'utf16le').swap16(), 'UTF-16'],
    ['an old workbook', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1'), '.xls'],
    ['a PDF document', '%PDF-1.7\n', 'PDF'],
    ['bzip2', 'BZh91AY&SY', 'bzip2'],
    ['binary data', Buffer.from([1, 2, 3, 4, 5, 0, 7, 8]), 'binary data'],
    ['a tar archive', Buffer.concat([Buffer.from('p.csv'.padEnd(257, '\x01')), Buffer.from('ustar')]), 'a tar archive'],
    ['a page', fixture('opt-outs/error-page.csv'), 'HTML or XML'],
    ['a JSON array', fixture('opt-outs/json-array.csv'), 'a JSON array'],
    ['nothing', '', 'it is empty'],
  ])('%s', async (_name, content, what) => {
    const message = expect.stringContaining(what)
    await expect(prepared({ list: content })).rejects.toMatchObject({ code: 'list-unreadable', message })
    await expect(prepared({ list: content, request: IDS })).rejects.toMatchObject({ code: 'list-unreadable', message })
    await expect(prepared({ optOuts: [content] })).rejects.toMatchObject({ code: 'opt-outs-unusable', message })
  })

  test.each([';', ',', '\t', '|'])("Excel's first line sep=%s counts", async (sign) => {
    const rows = `email${sign}name\r\np1@x.test${sign}N\r\np2@x.test${sign}N\r\n`
    expect(await prepared({ list: `sep=${sign}\r\n${rows}` })).toMatchObject({ rows: 2, keys: 2, bad: 0 })
    expect(await prepared({ list: `\ufeff"sep=${sign}"\n${rows}` })).toMatchObject({ rows: 2, keys: 2, bad: 0 })
    const one = `sep=${sign}\nemail\np1@x.test\np2@x.test\n`
    expect(await prepared({ list: one })).toMatchObject({ rows: 2, keys: 2, bad: 0 })
    await expect(prepared({ list: `sep=${sign}\n` })).rejects.toMatchObject({
      message: expect.stringContaining('only a "sep=" line'),
    })
  })
})

describe('an opt-out list must prove that it is one', () => {
  const refused: readonly [name: string, content: string | Uint8Array][] = [
    ['a JSON array', fixture('opt-outs/json-array.csv')],
    ['the page of an error', fixture('opt-outs/error-page.csv')],
    ['a line of an error', fixture('opt-outs/not-found.csv')],
    ['an error of AWS', 'An error occurred (404) when calling the HeadObject operation: Not Found\n'],
    ['an error of S3', '<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>\n'],
    ['an error as JSON', '{"error":"not found"}\n'],
    ['an empty object', '{}\n'],
    ['null', 'null\n'],
    ['a name before an address, alone', 'Pat One <p1@x.test>\n'],
    ['a name before the first address', fixture('opt-outs/name-before-the-first.csv')],
    ['two addresses in a line', 'p1@x.test p2@x.test\n'],
    ['two addresses in quotes', '"p1@x.test, p2@x.test"\n'],
    ['two addresses in two columns', 'p1@x.test,p2@x.test\n'],
    ['addresses in two columns', 'p1@x.test;p2@x.test\np3@x.test;\n'],
    ['an encoded address first', 'p1%40x.test\np2@x.test\n'],
    ['a damaged hash first', `${'a1'.repeat(31)}\np2@x.test\n`],
    ['a damaged address first', 'p1.x.test\np2@x.test\n'],
    ['a header that names nothing, alone', 'customer\n'],
    ['a header with a key', 'email,p1@x.test\np2@x.test,x\n'],
    ['a broken header', 'email,"reason\np1@x.test,x\np2@x.test,y"\n'],
    ['blank lines', '\n \n'],
    ['a comment', '# opted out\np1@x.test\n'],
    ['half a gzip file', gzipSync(people(50).join('\n')).subarray(0, 60)],
    ['another encoding', Buffer.from('email\np\xfc@x.test\n', 'latin1')],
    ['an object with two of the name', '{"email":"p1@x.test","Email":"p2@x.test"}\n'],
  ]

  test.each(refused)('%s is refused', async (_name, content) => {
    const error = await prepared({ optOuts: [content] }).catch((caught) => caught)
    expect(error).toMatchObject({ code: 'opt-outs-unusable', message: expect.stringContaining('opt-outs-0.csv') })
    expect(error.message + error.hint).not.toContain('x.test')
  })

  test.each(refused.filter(([name]) => !/address|hash|comment|header|name|encoding|null/.test(name)))(
    '%s is refused for ids, too',
    async (_name, content) => {
      const list = 'S1\nS2\n'
      await expect(prepared({ list, optOuts: [content], request: IDS })).rejects.toMatchObject({
        code: 'opt-outs-unusable',
      })
      const configured = { column: 1, signal: 'RECORD_ID' }
      await expect(prepared({ list, optOuts: [content], request: IDS, configured })).rejects.toMatchObject({
        code: 'opt-outs-unusable',
      })
    },
  )

  test.each([
    ['keys alone', 'p1@x.test\np2@x.test\n'],
    ['one key', 'p1@x.test'],
    ['a header that names the signal', 'E-Mail\r\np1@x.test\r\n'],
    ['a header that names nothing', 'Customer address\np1@x.test\n'],
    ['a header and no rows', 'email\n'],
    ['other columns', 'p1@x.test;2026-01-01;6d92078a-8246-4ba4-ae5b-76104861e7dc\n'],
    ['a note of several lines', 'email,note\np1@x.test,"two\nlines"\n'],
  ])('%s is taken', async (_name, content) => {
    const { of } = await prepared({ optOuts: [content] })
    expect(of).toEqual(content === 'email\n' ? people(3) : people(3).filter((key) => !content.includes(key)))
  })

  test('a directory, and a file of ids that no header names, are refused', async () => {
    const bench = listBench({ suppress: [tempFolder()] })
    await expect(bench.prepare('email\np1@x.test\n', EMAIL)).rejects.toMatchObject({
      code: 'opt-outs-unusable',
      message: expect.stringContaining('it is a folder'),
    })
    await expect(prepared({ list: 'S1\nS2\n', optOuts: ['S1\n'], request: IDS })).rejects.toMatchObject({
      code: 'opt-outs-unusable',
      hint: expect.stringContaining('record_id'),
    })
  })

  test('audience.yaml names the column and the signal of a file that does not only have keys', async () => {
    const file = 'customer,contact,agent\n7,p1@x.test,p2@x.test\n8,P3@x.test,\n'
    const configured = { column: 'contact', signal: 'EMAIL' }
    expect(await prepared({ optOuts: [file], configured })).toMatchObject({ of: ['p2@x.test'] })
    await expect(prepared({ optOuts: ['name\nAnn\n'], configured })).rejects.toMatchObject({
      code: 'opt-outs-unusable',
    })
    const other = { list: '7\n8\n9\n', request: IDS }
    expect(await prepared({ ...other, optOuts: [file], configured })).toMatchObject({ suppressed: 0, keys: 3 })
    const numbered = { column: 1, signal: 'RECORD_ID' }
    expect(await prepared({ ...other, optOuts: ['7\n9\n'], configured: numbered })).toMatchObject({ of: ['8'] })
    expect(
      await prepared({ list: 'S|0\nS|1\nS|2\n', request: IDS, optOuts: ['S|0\nS|1\n'], configured: numbered }),
    ).toMatchObject({
      of: ['S|2'],
    })
  })
})

describe('no other signal is a way around an opt-out', () => {
  test('addresses in an entry for ids', async () => {
    const configured = { column: 'customer', signal: 'RECORD_ID' }
    const hash = createHash('sha256').update('p3@x.test').digest('hex')
    for (const id of ['P1@x.test', 'mailto:p1@x.test', 'crm|p1@x.test', '*p1@x.test', 'Ann <p1@x.test>'])
      expect(await prepared({ optOuts: [`customer,n\n"${id}",1\nS1,2\n${hash},3\n`], configured }), id).toMatchObject({
        of: ['p2@x.test'],
      })
    await expect(prepared({ optOuts: ['customer\nS1\np1%40x.test\n'], configured })).rejects.toMatchObject({
      code: 'opt-outs-unusable',
      message: expect.stringMatching(/of the 2 rows .* 1 cannot be used, .* line 3$/),
    })
    await expect(prepared({ optOuts: ['customer,n\nS1,"x\n'], configured })).rejects.toMatchObject({
      code: 'opt-outs-unusable',
    })
    const ips = { list: 'ip\n10.0.0.1\n10.0.0.2\n', request: { column: 'ip', signal: 'IP' } as const }
    expect(await prepared({ ...ips, optOuts: ['customer\n10.0.0.1\n'], configured })).toMatchObject({
      of: ['10.0.0.2'],
    })
  })

  const list = 'customer\nP1@x.test\nS1\np2@x.test\n10.0.0.1\n'

  test('addresses in a list of ids', async () => {
    const request = { column: 'customer', signal: 'RECORD_ID' } as const
    const { of, suppressed } = await prepared({ list, request, optOuts: ['p1@x.test\n10.0.0.1\n'] })
    expect({ of, suppressed }).toEqual({ of: ['S1', 'p2@x.test'], suppressed: 2 })
    expect(await prepared({ list, request, optOuts: ['email,ip\np1@x.test,\n,10.0.0.1\n'] })).toMatchObject({
      suppressed: 2,
    })
  })

  test('addresses in a list of postal addresses are bad', async () => {
    const request = { column: 'customer', signal: 'ADDRESS' } as const
    expect(await prepared({ list, request, optOuts: ['p1@x.test\n'] })).toMatchObject({ bad: 3, keys: 1 })
    const around =
      'customer\nmailto:p1@x.test\n"Ann <p2@x.test>, Hill Rd"\n6d92078a-8246-4ba4-ae5b-76104861e7dc\n::1\nvictim @ x.test\nHill Rd\n'
    expect(await prepared({ list: around, request })).toMatchObject({ bad: 5, of: ['HILL RD'] })
  })

  test('addresses with something around them in a list of ids', async () => {
    const ids = [
      'mailto:p1@x.test',
      '<P1@x.test>',
      'crm|p1@x.test',
      'Ann <p1@x.test>; p3@x.test',
      'S1',
      'p2@x.test.',
      'a@b',
    ]
    const around = `customer\n${ids.map((id) => `"${id}"`).join('\n')}\n`
    const request = { column: 'customer', signal: 'RECORD_ID' } as const
    const { of } = await prepared({ list: around, request, optOuts: ['p1@x.test\n'] })
    expect(of).toEqual(['S1', 'a@b', 'p2@x.test.'])
  })

  test('a postal address in a list of ids', async () => {
    const homes = 'customer\n12 Hill Rd.\n13 Hill Rd.\n'
    const request = { column: 'customer', signal: 'PARTNER_RECORD_ID' } as const
    const configured = { column: 'address', signal: 'ADDRESS' }
    expect(await prepared({ list: homes, request, optOuts: ['address\n"12, hill rd"\n'], configured })).toMatchObject({
      of: ['13 Hill Rd.'],
    })
  })

  test.each(['IP', 'IDFA', 'AAID', 'STBID', 'ADDRESS', 'RECORD_ID', 'EMAIL'] as const)(
    'the hash of an address in a list of %s',
    async (signal) => {
      const hashes = `customer\n${people(2)
        .map((person) => createHash('sha256').update(person).digest('hex'))
        .join('\n')}\n`
      const [, , second = ''] = hashes.split('\n')
      const request = { column: 'customer', signal } as const
      for (const optOut of [
        'email,ip\np1@x.test,10.9.9.9\n',
        'E-Mail\np1@x.test\n',
        hashes.replace('customer', 'email').replace(`${second}\n`, ''),
      ])
        expect(await prepared({ list: hashes, request, optOuts: [optOut] })).toMatchObject({
          suppressed: 1,
          of: [second],
        })
    },
  )

  test('the hash of a device id or an IP address in a list of e-mail addresses', async () => {
    const [one, two] = ['10.0.0.1', '10.0.0.2'].map((ip) => createHash('sha256').update(ip).digest('hex'))
    const hashes = `email\n${one}\n${two}\n`
    expect(await prepared({ list: hashes, optOuts: ['ip\n10.0.0.1\n'] })).toMatchObject({ of: [two] })
    const mailchimp = 'Email Address,OPTIN_IP\np1@x.test,10.0.0.1\n'
    expect(await prepared({ list: hashes, optOuts: [mailchimp] })).toMatchObject({ keys: 2 })
  })

  test('a device id in a list of another kind of device', async () => {
    const [one = '', two = ''] = ['6d92078a-8246-4ba4-ae5b-76104861e7dc', '6d92078a-8246-4ba4-ae5b-76104861e7dd']
    const request = { column: 1, signal: 'AAID' } as const
    expect(
      await prepared({ list: `${one}\n${two}\n`, request, optOuts: [`idfa\n${one.toUpperCase()}\n`] }),
    ).toMatchObject({
      of: [two],
    })
  })
})
