import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApiOperation } from '../../src/console/api/api-operation.ts'
import { apiOperations } from '../../src/console/api/operations.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8')

test.each(Object.entries<ApiOperation>(apiOperations))('docs/api.md has a curl for %s', (_id, { method, path }) => {
  // The guide has short names for some path prefixes.
  const short = guide.replaceAll('$AT', '$A/schedules/p/t').replaceAll('\\\n', ' ')
  const pattern = path.replaceAll(/\{\w+\}/g, '[^/"\\s?]+')
  const call = new RegExp(`^curl [^\\n]*\\$A${pattern}(?=["?\\s]|$)`, 'm')
  const found = short.split('\n').filter((line) => call.test(line))
  expect(found.filter((line) => line.includes('-X POST') === (method === 'POST'))).not.toEqual([])
})
