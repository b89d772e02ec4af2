import { expect, test } from 'vitest'
import { listLimitsOf } from '../../src/config/lists-config.ts'
import { parseConfig } from '../../src/config/load-settings.ts'
import { InvalidDocumentError } from '../../src/core/errors.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'

const limitsOf = (lists: string) => listLimitsOf(parseConfig(`lists: ${lists}`, 'audience.yaml').lists)

test('without settings, a list has a gigabyte, half an hour, ten gigabytes of unpacked data and 200 times its size', () => {
  expect(limitsOf('{}')).toEqual(LIST_LIMITS)
  expect(LIST_LIMITS).toEqual({
    ...{ memoryBytes: 1e9, timeoutMs: 1_800_000, atOnce: undefined, maxUnpackedBytes: 10e9, maxRatio: 200 },
  })
})

test('each limit can be set', () => {
  expect(limitsOf('{ memory: 256MB, timeout: 2h, atOnce: 7, maxUnpacked: 1TB, maxRatio: 1000 }')).toEqual({
    ...{ memoryBytes: 256e6, timeoutMs: 7_200_000, atOnce: 7, maxUnpackedBytes: 1e12, maxRatio: 1000 },
  })
})

test.each([
  ['{ memory: 255MB }', '1:18 wrong-value: lists.memory is too small: a list needs at least 256MB'],
  ['{ memory: 1g }', '1:18 wrong-value: '],
  ['{ memory: 512 }', '1:18 wrong-type: memory must be a string'],
  ['{ maxUnpacked: -1GB }', '1:23 wrong-value: '],
  ['{ atOnce: 0 }', '1:18 '],
  ['{ maxRatio: 0 }', '1:20 '],
  ['{ unknown: 1 }', '1:10 '],
])('%s is refused at its place', (lists, expected) => {
  try {
    limitsOf(lists)
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error
    const problems = error.diagnostics.map(({ at, code, message }) => `${at?.line}:${at?.column} ${code}: ${message}`)
    expect(problems[0]).toContain(expected)
  }
})
