import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings, parseConfig } from '../../src/config/load-settings.ts'
import type { InvalidDocumentError } from '../../src/core/errors.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DAY_MS = 86_400_000

test.each([
  ['{ suppress: [opt-outs.csv], requirePrepared: true }', 30 * DAY_MS],
  ['{ membership: { keep: 7d } }', 7 * DAY_MS],
  ['{ membership: { keep: 999999999999d } }', Number.MAX_SAFE_INTEGER],
])('%s keeps fingerprints for %i ms', (text, keepMs) => {
  expect(privacyIn(text).membership).toEqual({ kind: 'fingerprints', keepMs })
})

test.each(['counts', 'none'])('membership can be %s', (kind) => {
  expect(privacyIn(`{ membership: ${kind} }`).membership).toEqual({ kind })
})

test('files with opt-outs are relative to audience.yaml', () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'below'))
  writeFileSync(
    join(folder, 'audience.yaml'),
    'privacy: { suppress: [opt-outs.csv, /secure/more.csv], requirePrepared: true }',
  )
  expect(loadSettings({ env: {}, cwd: join(folder, 'below'), flags: {} })).toMatchObject({
    privacy: { suppress: [join(folder, 'opt-outs.csv'), '/secure/more.csv'] },
    policy: { requirePrepared: true },
  })
})

test('a file with more than keys comes with its column and signal', () => {
  const { suppress } = privacyIn(
    '{ suppress: [/a.csv, { file: /b.csv, column: mail, signal: EMAIL }, { file: /c.csv, column: 2, signal: IP }] }',
  )
  expect(suppress).toEqual([
    '/a.csv',
    { file: '/b.csv', column: 'mail', signal: 'EMAIL' },
    { file: '/c.csv', column: 2, signal: 'IP' },
  ])
})

test.each([
  ['{ suppress: [{ file: a.csv, column: mail }] }', '1:25 missing-key', 'signal is missing'],
  ['{ suppress: [{ file: a.csv, column: 0, signal: EMAIL }] }', '1:46 wrong-value', 'column must be at least 1'],
  ['{ supress: [a.csv] }', '1:12 unknown-key', 'supress is not known here'],
  ['{ suppress: opt-outs.csv }', '1:22 wrong-type', 'suppress must be a list'],
  ['{ suppress: [a.csv, ""] }', '1:30 wrong-value', 'this must not be empty'],
  ['{ suppress: [a.csv, a.csv] }', '1:22 wrong-value', 'suppress has the same item twice'],
  ['{ requirePrepared: yes }', '1:29 wrong-type', 'requirePrepared must be a boolean'],
  ['{ membership: some }', '1:24 wrong-value', 'membership must be { keep: 30d }, counts or none'],
  ['{ membership: 30 }', '1:24 wrong-type', 'membership must be { keep: 30d }, counts or none'],
  ['{ membership: {} }', '1:12 missing-key', 'keep is missing'],
  ['{ membership: { keep: long } }', '1:32 wrong-value', 'keep must be a duration such as 500ms, 30s, 15m, 2h or 7d'],
])('%s is refused at its place', (text, place, message) => {
  const problems = problemsOf(`privacy: ${text}`)
  expect(problems.map(({ at, code }) => `${at?.line}:${at?.column} ${code}`)).toEqual([place])
  expect(problems[0]?.message).toBe(message)
})

function privacyIn(text: string) {
  const folder = tempFolder()
  writeFileSync(join(folder, 'audience.yaml'), `privacy: ${text}`)
  return loadSettings({ env: {}, cwd: folder, flags: {} }).privacy
}

function problemsOf(text: string) {
  try {
    parseConfig(text, 'audience.yaml')
    return []
  } catch (error) {
    return (error as InvalidDocumentError).diagnostics
  }
}
