import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listBench, parquetOf } from './list-bench.ts'

test.each(["read_csv('/etc/passwd')", "'/etc/people.parquet'", "read_csv('https://example.com/people.csv')"])(
  'a query that reads %s is told that it sees only input',
  async (other) => {
    await expect(
      listBench().prepare('email\nann@example.com\n', { sql: `SELECT * FROM ${other}` }),
    ).rejects.toMatchObject({
      code: 'list-sql',
      hint: expect.stringContaining('only the files of `from`, as `input`'),
    })
  },
)

test('the error of a Parquet file that is cut off names the file', async () => {
  const { base, prepare } = listBench()
  await expect(prepare('PAR1 and no end', { column: 'email' })).rejects.toMatchObject({
    code: 'list-unreadable',
    message: `${base}/people cannot be read: it is a Parquet file that is cut off`,
  })
})

test('an error that DuckDB reports names the file; with several files, the first one', async () => {
  const damaged = await parquetOf("SELECT 'ann@example.com' AS email")
  damaged.writeUInt32LE(0xfffffff0, damaged.length - 8)
  const { base, file, prepare, prepareFile } = listBench()
  const reported = / cannot be read: DuckDB reports an? [A-Za-z ]*[Ee]rror$/
  const message = expect.stringMatching(reported)
  for (const request of [{ column: 'email' }, { sql: 'SELECT email FROM input' }]) {
    const error = await prepare(damaged, request).catch((caught) => caught)
    expect(error).toMatchObject({
      code: 'list-unreadable',
      message,
      hint: expect.stringContaining('check that the file'),
    })
    expect(error.message.replace(reported, '')).toBe(file)
  }
  const suppressing = listBench({ suppress: [file] })
  writeFileSync(file, damaged)
  const error = await suppressing.prepare('email\nann@example.com\n', { column: 'email' }).catch((caught) => caught)
  expect(error).toMatchObject({ code: 'opt-outs-unusable', message })
  expect(error.message).toContain(`nothing was prepared: ${file} cannot be read`)
  writeFileSync(join(base, 'people2'), 'email\nbob@example.com\n')
  const source = { kind: 'path', path: join(base, 'people*') } as const
  const many = listBench({ sources: { both: source } })
  await expect(many.prepareFile('', { from: { source: 'both' }, column: 'email' })).rejects.toMatchObject({
    message: expect.stringContaining(`${file}, or one of 1 more file, cannot be read`),
  })
  await expect(prepareFile(join(base, 'people2'), { column: 'email' })).resolves.toMatchObject({ keys: 1 })
})

test('an opt-out list that is a folder says so', async () => {
  await expect(
    listBench({ suppress: [tmpdir()] }).prepare('email\nann@example.com\n', { column: 'email' }),
  ).rejects.toMatchObject({ code: 'opt-outs-unusable', message: expect.stringContaining('it is a folder') })
})

test.each(['email,email\nann@example.com,bob@example.com\n', 'Email,EMAIL\nann@example.com,bob@example.com\n'])(
  'two columns of one name are an error: %j',
  async (text) => {
    await expect(listBench().prepare(text, { column: 'email' })).rejects.toMatchObject({
      code: 'list-no-column',
      message: expect.stringContaining('has 2 columns named "email"'),
    })
    const bench = listBench()
    const optOuts = join(bench.base, 'opt-outs.csv')
    writeFileSync(optOuts, text)
    await expect(
      listBench({ suppress: [optOuts] }).prepare('email\nann@example.com\n', { column: 'email' }),
    ).rejects.toMatchObject({ code: 'opt-outs-unusable' })
  },
)

test.each([
  ['people.csv', 'check its path'],
  ['.taken/nightly.drop/1-a~b/people.csv', 'put it back with `audience files drop-again`'],
])('a file that is not there, %s, has the next step', async (name, hint) => {
  const { base, prepareFile } = listBench()
  await expect(prepareFile(join(base, name), { column: 'email' })).rejects.toMatchObject({
    code: 'list-unreadable',
    message: expect.stringContaining('people.csv cannot be read: there is no such file'),
    hint: expect.stringContaining(hint),
  })
})

test.each([
  ['ann@example.com\nbob@example.com\n', 1],
  ['\n\nsep=;\nAnn;ANN@example.com \nBob;bob@example.com\n', 4],
  [`${'a'.repeat(64)}\n${'b'.repeat(64)}\n`, 1],
])('a query does not take a row with a key for the names of the columns: %j', async (text, line) => {
  const bench = listBench()
  const made = bench.prepare(text, { sql: 'SELECT COLUMNS(*) FROM (SELECT * FROM input)' })
  await expect(made).rejects.toMatchObject({
    code: 'list-unreadable',
    message: `${bench.file} cannot be read: line ${line} contains a key, but a query needs the names of the columns there`,
  })
})

const LONG = 'x\n'.repeat(150_000)
const ONE_LINE = 'x'.repeat(300_000)

test.each([
  ['a quote in its first row, which begins on line 1,', `n,"${ONE_LINE}",email\n1,2,a@x.test\n`],
  ['a quote in its first row, which begins on line 3,', `\n\nn,"${LONG}",email\n1,2,a@x.test\n`],
  ['a quote in its first row, which begins on line 2,', `sep=;\nn;"${LONG}";email\n1;2;a@x.test\n`],
  ['its first row, which begins on line 1,', `n,${ONE_LINE},email\n1,2,a@x.test\n`],
])('a header that goes on where nobody looks says so: %s', async (what, text) => {
  for (const request of [{ column: 'email' }, { column: 4 }, { sql: 'SELECT email FROM input' }]) {
    const bench = listBench()
    await expect(bench.prepare(text, request)).rejects.toMatchObject({
      code: 'list-unreadable',
      message: `${bench.file} cannot be read: ${what} has no end in the first 262.1 kB`,
    })
  }
})

test('a long row below a header and a short file with an open quote are not reported like this', async () => {
  const rows = `email,n\n"a@x.test,${ONE_LINE}\nb@x.test,1\n`
  for (const request of [{ column: 'email' }, { sql: 'SELECT email FROM input' }])
    expect(await listBench().prepare(rows, request)).toMatchObject({ keys: 1, bad: 1 })
  for (const text of ['n,"x\n1,a@x.test\n', 'n,x', `n,x\n1,${ONE_LINE}\n`])
    await expect(listBench().prepare(text, { column: 'email' })).rejects.toMatchObject({ code: 'list-no-column' })
})
