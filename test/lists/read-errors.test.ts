import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listBench } from './list-bench.ts'

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
