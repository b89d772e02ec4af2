import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RUN_ERROR_CODES } from '../../src/rehearsal/run-error-codes.ts'
import { root } from '../support/audience.ts'

/** Codes in those folders for other things: requests of people, waits, the process itself, settings. */
const OTHERS = [
  'already-decided',
  'approval-needed',
  'comment-required',
  'guard-held',
  'interrupted',
  'invalid-base-url',
  'invalid-token-url',
  'lease-lost',
  'not-an-approver',
  'own-run',
  'state-not-migrated',
  'unknown-run',
  'unknown-step',
]

test('a test can name each code that steps, requests and lists fail with', () => {
  const folders = 'steps,adapter,engine,runs,lists,policy,membership'
  const text = globSync(`src/{${folders}}/**/*.ts`, { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const found = [
    ...text.matchAll(
      /(?:\bcode: |(?:failed|invalid|unavailable|usage)Error\(\s*)[^,\n]*?(?:'([a-z\d]+(?:-[a-z\d]+)*)')(?: : '([a-z-]+)')?/g,
    ),
  ]
  const codes = new Set(found.flatMap(([, one, other]) => [one, other]).filter((code) => code !== undefined))
  expect(codes.size).toBeGreaterThan(60)
  expect([...codes].filter((code) => !RUN_ERROR_CODES.includes(code) && !OTHERS.includes(code))).toEqual([])
  expect(RUN_ERROR_CODES.toSorted()).toEqual(RUN_ERROR_CODES)
})
