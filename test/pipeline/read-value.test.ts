import { expect, test } from 'vitest'
import { DiagnosticCollector } from '../../src/document/diagnostic-collector.ts'
import { readYaml } from '../../src/document/read-yaml.ts'
import { readObject } from '../../src/pipeline/read-value.ts'
import { awaitRule, retry } from '../../src/pipeline/step-schema.ts'
import { schedule, folderWatch as watch } from '../../src/pipeline/trigger-schema.ts'

const nodeOf = (text: string) => readYaml(text, new DiagnosticCollector('p.yaml', text))

const RETRY = { maxAttempts: 3, delayMs: 10_000, backoff: 2, maxDelayMs: 300_000, on: ['jobFailed', 'unavailable'] }

test('what is not given comes from the schema, and durations are milliseconds', () => {
  expect(readObject(retry, undefined)).toEqual(RETRY)
  expect(readObject(schedule, nodeOf('cron: "0 2 * * *"'))).toEqual({
    cron: '0 2 * * *',
    timezone: 'UTC',
    missed: 'last',
    catchupWindowMs: 86_400_000,
    overlap: 'skip',
    jitterMs: 0,
    exclude: { dates: [], weekdays: [] },
  })
})

test.each([
  ['a given value', '{ delay: 1m, on: [timeout] }', { ...RETRY, delayMs: 60_000, on: ['timeout'] }],
  ['a value of the wrong type', '{ maxAttempts: many, delay: 7 }', RETRY],
  ['an option that does not exist', '{ on: [never] }', RETRY],
])('%s', (_what, text, expected) => {
  expect(readObject(retry, nodeOf(text))).toEqual(expected)
})

test('a base stands in for the defaults, also inside', () => {
  const base = readObject(awaitRule, nodeOf('{ timeout: 2h, poll: { max: 1m }, accept: [PARTIAL_SUCCESS] }'))
  expect(readObject(awaitRule, nodeOf('poll: { initial: 1s }'), base)).toEqual({
    timeoutMs: 7_200_000,
    approvalTimeoutMs: 604_800_000,
    poll: { initialMs: 1000, maxMs: 60_000 },
    accept: ['PARTIAL_SUCCESS'],
  })
})

test('a required text that is missing is empty, and an optional one absent', () => {
  expect(readObject(watch, nodeOf('path: inbox'))).toEqual({
    path: 'inbox',
    pattern: '',
    settleMs: 2000,
    done: '',
    failed: '',
    repeat: false,
    precheck: { maxBytes: 157_286_400, minimumShare: 0.9 },
  })
})
