import { join } from 'node:path'
import { expect, test } from 'vitest'
import { csvDialect } from '../../src/lists/csv-dialect.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import { readListInputs } from '../../src/lists/read-inputs.ts'
import type { Sandbox } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('what ends the look at the quotes of a file is the error, though DuckDB could read it', async () => {
  const folder = tempFolder()
  const path = join(folder, 'gone')
  const input: ListInput = { path, given: path, name: 'list', format: 'csv', dialect: csvDialect('email\n') }
  const sandbox = { rowsIfAny: async () => [] } as unknown as Sandbox
  const work = { folder, signal: new AbortController().signal, keys: { column: 1, signal: 'EMAIL' } } as const
  await expect(readListInputs(sandbox, [input], work, async () => undefined)).rejects.toMatchObject({ code: 'ENOENT' })
})
