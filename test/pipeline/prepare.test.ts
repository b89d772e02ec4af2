import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { referencedFiles } from '../../src/pipeline/referenced-files.ts'
import { documentPolicy } from '../../src/policy/document-policy.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { written } from './fixtures.ts'

const SOURCES = new Map([
  ['crm', { isDated: true }],
  ['static', { isDated: false }],
  ['partner', { isDated: false, remote: 'sftp' as const }],
])

function load(given: string, { sources = SOURCES }: { readonly sources?: typeof SOURCES | null } = {}) {
  const text = `version: 1\nname: p\ninputs: { day: { type: date, default: 2026-01-31 } }\nsteps:\n  - id: list\n    uses: files.prepare\n    with: { ${given} }\noutputs:\n  share: \${{ steps.list.outputs.badShare < 0.5 }}\n`
  const policy = documentPolicy({ project: resolve('.'), ownEnv: [], ...(sources && { sources }) })
  const files = {
    isFile: (path: string) => path.endsWith('/a.csv'),
    whyUnseen: () => undefined,
    namesIn: () => ['people.csv'],
  }
  return loadPipeline({ text, file: 'p.yaml', stepTypes, policy, files })
}

const problems = (...args: Parameters<typeof load>) => load(...args).diagnostics.map(written)

test.each([
  'from: { source: crm, date: "${{ inputs.day }}" }, column: email, signal: EMAIL',
  'from: { source: static }, sql: SELECT email FROM input, signal: EMAIL, normalise: service/1, hash: sha256',
  'from: { source: "${{ inputs.day }}" }, column: 2, signal: RECORD_ID, hash: none',
  'from: { source: partner, path: "crm/{date}/*.csv", date: 2026-01-31 }, column: email, signal: EMAIL',
  'from: { source: partner, path: "${{ inputs.day }}/*.csv", date: 2026-01-31 }, column: email, signal: EMAIL',
  'from: { source: static, delimiter: none }, column: 1, signal: RECORD_ID, normalise: service/2',
  'from: { file: a.csv, delimiter: "|" }, column: 1, signal: RECORD_ID',
  'from: { file: a.csv, delimiter: tab }, column: 1, signal: RECORD_ID',
])('%s is right', (given) => {
  expect(problems(given)).toEqual([])
})

test.each<[string, string]>([
  [
    'from: { source: crn, date: 2026-01-31 }, column: email, signal: EMAIL',
    '7:29+3 error unknown-source: audience.yaml has no source crn | did you mean crm?',
  ],
  [
    'from: { source: partner }, column: email, signal: EMAIL',
    '7:29+7 error missing-input: source partner needs a path: it is on another machine | name a folder there, and which files: path: "crm/*.csv"',
  ],
  [
    'from: { source: partner, path: "crm/{date}/*.csv" }, column: email, signal: EMAIL',
    '7:29+7 error missing-input: source partner needs a date: it contains {date} | add the day: date: "${{ trigger.date }}"',
  ],
  [
    'from: { source: partner, path: crm/a.csv, date: 2026-01-31 }, column: email, signal: EMAIL',
    '7:61+10 error broken-rule: source partner takes no date: it does not contain {date} | leave the date out',
  ],
  [
    'from: { source: partner, path: "crm/*/a.csv" }, column: email, signal: EMAIL',
    '7:44+13 error wrong-value: "crm/*/a.csv" is not a path of a source: only its last part may be a pattern | such as "crm/{date}/*.parquet"',
  ],
  [
    'from: { source: partner, path: "../*.csv" }, column: email, signal: EMAIL',
    '7:44+10 error wrong-value: "../*.csv" is not a path of a source: it is not the name of a file | such as "crm/{date}/*.parquet"',
  ],
  [
    'from: { source: static, path: "a.csv" }, column: email, signal: EMAIL',
    '7:43+7 error broken-rule: source static takes no path: it is on this machine | leave the path out',
  ],
  [
    'from: { file: a.csv, path: "a.csv" }, column: email, signal: EMAIL',
    '7:5+4 error broken-rule: files.prepare: path is for a source on another machine',
  ],
  [
    'from: { source: crm }, column: email, signal: EMAIL',
    '7:29+3 error missing-input: source crm needs a date: it contains {date} | add the day: date: "${{ trigger.date }}"',
  ],
  [
    'from: { source: static, date: 2026-01-31 }, column: email, signal: EMAIL',
    '7:43+10 error broken-rule: source static takes no date: it does not contain {date} | leave the date out',
  ],
  [
    'from: { source: crm, date: today }, column: email, signal: EMAIL',
    '7:40+5 error wrong-value: from.date must match ^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  ],
  [
    'from: { source: static, file: a.csv }, column: email, signal: EMAIL',
    '7:5+4 error broken-rule: files.prepare: from needs either file or source',
  ],
  ['from: { source: static }, sql: "", signal: EMAIL', '7:44+2 error wrong-value: sql must not be empty'],
  ['from: { source: static }, signal: EMAIL', '7:5+4 error broken-rule: files.prepare: either column or sql is needed'],
  [
    'from: { source: static }, column: a, sql: SELECT 1, signal: EMAIL',
    '7:5+4 error broken-rule: files.prepare: either column or sql is needed',
  ],
  [
    'from: { source: static }, column: a, signal: EMIAL',
    '7:58+5 error wrong-value: signal must be one of IP, IDFA, AAID, STBID, EMAIL, ADDRESS, PARTNER_RECORD_ID, BGID, RECORD_ID | did you mean EMAIL?',
  ],
  [
    'from: { source: static }, column: a, signal: BGID, hash: sha256',
    '7:5+4 error broken-rule: files.prepare: only keys of IP, IDFA, AAID, STBID, EMAIL and ADDRESS can be hashed: for other signals the service would mistake a hash for an id',
  ],
  [
    'from: { source: static }, column: a, signal: EMAIL, normalise: service/9',
    '7:76+9 error wrong-value: normalise must be one of service/1, service/2, service/3 | did you mean service/1?',
  ],
])('%s is wrong', (given, expected) => {
  expect(problems(given)).toEqual([expected])
})

test('sources are taken as they are where there is no audience.yaml', () => {
  expect(problems('from: { source: any }, column: email, signal: EMAIL', { sources: null })).toEqual([])
})

test('a file in `from` is checked like every other file', () => {
  expect(problems('from: { file: poeple.csv }, column: email, signal: EMAIL')).toEqual([
    '7:27+10 warning missing-file: there is no file poeple.csv | did you mean people.csv?',
  ])
  expect(problems('from: { file: /etc/people.csv }, column: email, signal: EMAIL')).toEqual([
    expect.stringContaining('7:27+15 warning file-not-allowed'),
  ])
  const { pipeline } = load('from: { file: people.csv }, column: email, signal: EMAIL')
  expect(pipeline && referencedFiles(pipeline, stepTypes).files).toEqual([resolve('people.csv')])
})
