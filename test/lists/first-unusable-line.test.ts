import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firstUnusableLine } from '../../src/lists/first-unusable-line.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import type { OptOutColumn } from '../../src/lists/opt-out-column.ts'
import { tempFolder } from '../support/temp-folder.ts'

const GOOD = '{"email":"a@x.test"}\n{"more":1,"email":" "}\n\n{"email":null}\n'

test.each([
  ['none', '', undefined],
  ['one that is no JSON', '{"email":', 5],
  ['one that is not an object', '"a@x.test"', 5],
  ['one that is nothing', 'null', 5],
  ['one without the column', '{"mail":"a@x.test"}', 5],
  ['one without a key', '{"email":"a"}', 5],
])('the first line of NDJSON that says nobody: %s', async (_what, line, number) => {
  const path = join(tempFolder(), 'opt-outs.ndjson')
  writeFileSync(path, `${GOOD}${line}\n{"email":"b@x.test"}\n`)
  const input = { path, format: 'ndjson' } as unknown as ListInput
  const optOut = { column: 'email', allowed: ['EMAIL'] } as unknown as OptOutColumn
  expect(await firstUnusableLine(input, optOut, new AbortController().signal)).toBe(number)
})
