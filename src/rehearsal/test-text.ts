import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { flowText } from '../document/plain-value.ts'
import type { FirstTest } from './first-test.ts'
import { statusOfHeld } from './steps-below.ts'
import type { EventFacts } from './test-result.ts'

/** The text of a first test. If `facts` is absent because nothing has been rehearsed yet, it expects nothing. */
export function testText(
  { test, from, env, files, event }: FirstTest,
  { facts, hasChannels, schema }: { facts?: EventFacts | undefined; hasChannels: boolean; schema?: string | undefined },
): string {
  const [[act = '', value = null] = []] = Object.entries(event)
  return [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    '# Written from one rehearsed run. Read it: if something here is wrong, the cause is the pipeline, or what is given.',
    entry('test', test),
    'given:',
    `  from: ${from} # no test depends on today`,
    ...block('env', env, '  '),
    ...block('files', files, '  '),
    'tests:',
    '  - it: does what it did when this test was written # say what it shows',
    '    do:',
    `      - ${entry(act, value)}`,
    ...(facts ? [...expectLines(expectationOf(facts, hasChannels)), ...nextLines(act, value, facts)] : []),
    '',
  ].join('\n')
}

function entry(key: string, value: Json): string {
  return flowText({ [key]: value }).slice(2, -2)
}

/** A map with one entry per line; nothing if it is empty. */
function block(key: string, map: JsonObject, indent: string): string[] {
  const lines = Object.entries(map).map(([name, value = null]) => `${indent}  ${entry(name, value)}`)
  return lines.length > 0 ? [`${indent}${key}:`, ...lines] : []
}

const WIDEST = 120

function expectLines(expectation: JsonObject): string[] {
  const indent = ' '.repeat(10)
  const lines = Object.entries(expectation).flatMap(([key, value = null]) => {
    const line = `${indent}${entry(key, value)}`
    return line.length <= WIDEST ? [line] : block(key, value as JsonObject, indent)
  })
  return ['        expect:', ...lines]
}

/** The facts of an event, written as its expectation. */
function expectationOf({ runs, writes, live, notified }: EventFacts, hasChannels: boolean): JsonObject {
  const [run, another] = runs
  const held = run?.waits.find((wait) => wait.for !== 'partner')?.step
  const expectation: Record<string, Json> = {}
  if (!run || another) {
    const counts = [...Map.groupBy(runs, ({ status }) => status)].map(([status, all]) => [status, all.length])
    expectation.runs = Object.fromEntries(counts)
  } else if (held !== undefined && run.status === statusOfHeld(held)) expectation.held = held
  else expectation.status = run.status
  const { code, step } = (!another && run?.error) || {}
  if (code !== undefined) expectation.error = step === undefined ? { code } : { code, step }
  expectation.writes = { ...writes }
  if (Object.values(live).some((count) => count > 0)) expectation.live = { ...live }
  if (hasChannels)
    expectation.notified = Object.fromEntries(Object.entries(notified).map(([name, all]) => [name, [...all]]))
  return expectation
}

/** What a person may add, as a comment. */
function nextLines(act: string, value: Json, { runs }: EventFacts): string[] {
  const wait = runs.flatMap(({ waits }) => waits)[0]
  const failed = runs.find(({ error }) => error)
  if (failed?.error)
    return comments([
      `It failed: ${failed.error.message.replaceAll(/\s+/g, ' ')}`,
      'If it should not fail, change what is given above, or the pipeline; then remove this file and write it again.',
    ])
  if (wait?.for === 'decision')
    return comments([`Next: ${wait.step} asks a person what happened to a request: read docs/testing.md.`])
  const answer = wait && (wait.for === 'partner' ? { partner: { approve: wait.step } } : { approve: wait.step })
  const [again = { [act]: value }] = act === 'drop' ? Object.entries(value as JsonObject).map(secondDrop) : []
  return comments([
    answer
      ? 'Next: the answer. Remove the # from the lines below; `audience test --update` then writes what it sees.'
      : 'Next: what if it happens again? Remove the # from the lines below; `audience test --update` then writes',
    ...(answer ? [] : ['what it sees. docs/testing.md shows lost answers, kills, and lists that changed.']),
    `- ${flowText(answer ?? again).slice(2, -2)}`,
    '  expect: { writes: {} }',
  ])
}

/** A list of other people, because one with the same people would not start a run. */
function secondDrop([name, list = null]: [string, Json | undefined]): JsonObject {
  const others = isJsonObject(list) ? { ...list, seed: 2 } : list
  return { drop: { [name.replace(/(\.[^./]*)?$/, '-2$1')]: others } }
}

function comments(lines: readonly string[]): string[] {
  return lines.map((line) => `      # ${line}`)
}
