import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { NAMELESS, namingFiles } from '../../src/lists/list-errors.ts'

const nameless = new AudienceError({ code: 'list-unreadable', kind: 'failed', message: `${NAMELESS}DuckDB reports x` })
const named = new AudienceError({ code: 'list-empty', kind: 'failed', message: 'a.csv has no rows' })

test.each([
  ['gets the name of the file', nameless, ['a.csv'], 'a.csv cannot be read: DuckDB reports x'],
  [
    'gets the first name of two',
    nameless,
    ['a.csv', 'b.csv'],
    'a.csv, or one of 1 more file, cannot be read: DuckDB reports x',
  ],
  [
    'gets the first name of three',
    nameless,
    ['a.csv', 'b.csv', 'c.csv'],
    'a.csv, or one of 2 more files, cannot be read: DuckDB reports x',
  ],
  ['stays as it is if it has a name', named, ['a.csv'], named.message],
  ['stays as it is if it is a bug', new TypeError(`${NAMELESS}x`), ['a.csv'], `${NAMELESS}x`],
])('an error of the process that reads rows %s', async (_name, error, files, message) => {
  const reading = namingFiles(
    files.map((given) => ({ given })),
    () => Promise.reject(error),
  )
  const reason = await reading.catch((thrown: unknown) => thrown)
  expect(reason).toMatchObject({ name: error.name, message })
})
