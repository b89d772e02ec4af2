import { expect, test } from 'vitest'
import { describeOutputs } from '../../../src/cli/views/describe-outputs.ts'
import { githubAnnotation } from '../../../src/cli/views/github-annotation.ts'
import { renderDiagnostics } from '../../../src/cli/views/render-diagnostics.ts'
import { renderReport } from '../../../src/cli/views/render-error.ts'
import {
  count,
  formatBytes,
  formatShare,
  formatShortNumber,
  formatSizeLimit,
} from '../../../src/core/format/figures.ts'

const plain = (_format: unknown, text: string) => text

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [165_902, '165.9 kB'],
  [157_286_400, '157.3 MB'],
  [5_000_000_000, '5.0 GB'],
])('%d bytes read %j', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [16_384, '16,384 bytes'],
  [100_000, '100 kB'],
  [4_000_000, '4 MB'],
  [157_286_400, '157,286,400 bytes'],
  [157_286_000, '157,286 kB'],
  [5_000_000_000, '5,000 MB'],
])('a limit of %d bytes reads %j, and is never rounded', (bytes, text) => {
  expect(formatSizeLimit(bytes)).toBe(text)
})

test('numbers at an axis are short', () => {
  const numbers = [0.3421, 9_999, 10_000, 12_345, -12_345, 999_949, 999_950, 1_234_567, 12_500_000_000]
  expect(numbers.map(formatShortNumber)).toEqual([
    '0.3421',
    '9,999',
    '10k',
    '12.3k',
    '-12.3k',
    '999.9k',
    '1m',
    '1.2m',
    '12.5bn',
  ])
})

test('shares have at most four digits', () => {
  expect([0, 0.07, 0.29, 0.0725, 2 / 3, 1].map(formatShare)).toEqual([
    '0 %',
    '7 %',
    '29 %',
    '7.25 %',
    '66.67 %',
    '100 %',
  ])
})

test('counts have separators and the right number', () => {
  expect([count(1, 'row'), count(5201, 'row'), count(1, 'person', 'people')]).toEqual([
    '1 row',
    '5,201 rows',
    '1 person',
  ])
})

test.each([
  [{ name: 'a.csv', rows: 2, bytes: 10 }, '2 rows, 10 B sent as a.csv'],
  [{ matchCount: 0, segmentId: 's' }, '0 people matched'],
  [{ ActivationId: '7', Status: 'Activated', segmentId: 's' }, 'activation 7: Activated'],
  [{ segmentId: 's', segmentName: 'Auto' }, 'segment s "Auto"'],
  [{ jobId: '3', jobStatus: 'PENDING' }, 'job 3: PENDING'],
  [[{}, {}], '2 items'],
  [undefined, ''],
  [{ other: true }, ''],
  [{ runId: 'r1', outputs: { matchCount: 3 } }, 'run r1'],
])('outputs %j read %j', (outputs, text) => {
  expect(describeOutputs(outputs)).toBe(text)
})

test('a diagnostic shows its line and underlines what is wrong', () => {
  const at = { file: 'a.yaml', line: 2, column: 9, length: 4 }
  const text = renderDiagnostics(
    [{ severity: 'error', code: 'unknown-key', message: 'nope', hint: 'did you mean x?', at }],
    'version: 1\n  name: wiht\n',
    plain,
  )
  expect(text).toBe(
    'a.yaml:2:9 error nope [unknown-key]\n   2 |   name: wiht\n     |         ^^^^\n    did you mean x?\n',
  )
})

test('an annotation escapes what GitHub would take for its own', () => {
  const at = { file: 'a,b:c.yaml', line: 3, column: 4 }
  expect(githubAnnotation({ severity: 'warning', code: 'w', message: '100%\nsure', at })).toBe(
    '::warning file=a%2Cb%3Ac.yaml,line=3,col=4,title=w::100%25%0Asure',
  )
})

test('an error says what happened, where, and what to do', () => {
  const report = {
    code: 'rejected',
    kind: 'failed',
    message: 'POST /api/x was rejected: 400 no',
    hint: 'correct it',
    at: { file: 'a.yaml', line: 1, column: 2 },
    request: { operation: 'x', method: 'POST', path: '/api/x', outcome: 'rejected', status: 400, requestId: 'r-1' },
  } as const
  expect(renderReport(report, plain)).toEqual([
    'POST /api/x was rejected: 400 no (request r-1)',
    'at a.yaml:1:2',
    'What to do: correct it',
  ])
})
