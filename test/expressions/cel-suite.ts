import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { Budget } from '../../src/expressions/budget.ts'
import { checkExpression } from '../../src/expressions/check.ts'
import { evaluateNode } from '../../src/expressions/evaluate-node.ts'
import { ExpressionFailure } from '../../src/expressions/failure.ts'
import { parseExpression } from '../../src/expressions/parse.ts'
import { parseDurationValue, parseTimestamp } from '../../src/expressions/time.ts'
import { DYN } from '../../src/expressions/types.ts'
import { Duration, fieldOf, Timestamp, type Value } from '../../src/expressions/value.ts'

/** A case of CEL's conformance suite: the fields of `cel.expr.conformance.test.SimpleTest` that matter here. */
export interface SuiteCase {
  readonly name?: string
  readonly expr: string
  /** Without a value or an error, the result is `true`. */
  readonly value?: SuiteValue
  readonly typedResult?: { readonly result?: SuiteValue }
  readonly evalError?: unknown
  readonly bindings?: Readonly<Record<string, { readonly value?: SuiteValue }>>
  readonly typeEnv?: readonly { readonly name: string; readonly function?: unknown }[]
  readonly container?: string
  /** Evaluated without being checked first. */
  readonly disableCheck?: boolean
  /** Checked, but not evaluated. */
  readonly checkOnly?: boolean
}

/** Such as `{ int64Value: '1' }`: protobuf's `cel.expr.Value` as JSON. */
type SuiteValue = Readonly<Record<string, unknown>>

interface Suite {
  readonly name: string
  readonly suites?: readonly Suite[]
  readonly tests?: readonly { readonly original: unknown }[]
}

/** The files of the suite with their cases. */
export function suiteFiles(): readonly { readonly file: string; readonly cases: readonly SuiteCase[] }[] {
  const casesOf = ({ suites = [], tests: own = [] }: Suite): SuiteCase[] => [
    ...suites.flatMap(casesOf),
    ...own.map(({ original }) => original as SuiteCase),
  ]
  return ((tests as Suite).suites ?? []).map((suite) => ({ file: suite.name, cases: casesOf(suite) }))
}

export type Verdict =
  | { readonly kind: 'right' }
  /** It gave another value. */
  | { readonly kind: 'wrong'; readonly detail: string }
  /** It gave a value instead of an error. */
  | { readonly kind: 'missed'; readonly detail: string }
  /** It failed, but the error does not say that this is not part of the language. */
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'unsupported'; readonly feature: string }

/** Parses, checks and evaluates a case as a document does. */
export function judge(suiteCase: SuiteCase): Verdict {
  const needs = environmentOf(suiteCase)
  const roots = rootsOf(suiteCase)
  if (roots === undefined || needs === OTHER_NAMES) return { kind: 'unsupported', feature: needs ?? NO_JSON }
  const outcome = run(suiteCase, roots)
  if ('value' in outcome) {
    const got = shown(outcome.value)
    if (suiteCase.evalError) return { kind: 'missed', detail: `${suiteCase.expr} gave ${got}` }
    const wanted = expected(suiteCase)
    return got === wanted
      ? { kind: 'right' }
      : { kind: 'wrong', detail: `${suiteCase.expr} gave ${got}, not ${wanted}` }
  }
  const feature = outcome.feature ?? needs
  if (feature) return { kind: 'unsupported', feature }
  if (suiteCase.evalError || outcome.failure === undefined) return { kind: 'right' }
  return { kind: 'refused', detail: `${suiteCase.expr}: ${outcome.failure}` }
}

const MESSAGES = 'protobuf messages and enums'
const OTHER_NAMES = 'names and functions that a program adds'
const NO_JSON = 'variables that are not JSON'

/** Something that a case requires from its environment and that no document has. */
function environmentOf({ expr, container = '', bindings = {}, typeEnv = [] }: SuiteCase): string | undefined {
  const names = JSON.stringify([bindings, typeEnv]).matchAll(/(?:"messageType":"|type\.googleapis\.com\/)([\w.]+)/g)
  const isMessage = ([, name = '']: RegExpExecArray) => !/^google\.protobuf\.(Duration|Timestamp)$/.test(name)
  if (container.startsWith('cel.expr.conformance.proto') || /\bTestAllTypes\b/.test(expr)) return MESSAGES
  if (names.some(isMessage)) return MESSAGES
  const declared = [...Object.keys(bindings), ...typeEnv.map(({ name }) => name)]
  if (container || declared.some((name) => name.includes('.')) || typeEnv.some((entry) => entry.function)) {
    return OTHER_NAMES
  }
  return /\bcel\.(block|index|iterVar)\(/.test(expr) ? 'functions with a namespace' : undefined
}

type Outcome =
  | { readonly value: Value }
  | { readonly failure: string | undefined; readonly feature?: string | undefined }

function run({ expr, bindings = {}, typeEnv = [], disableCheck, checkOnly }: SuiteCase, roots: Roots): Outcome {
  const parsed = parseExpression(expr)
  if ('problem' in parsed) return { failure: parsed.problem.message, feature: featureOf([parsed.problem]) }
  const names = [...Object.keys(bindings), ...typeEnv.map(({ name }) => name)].map((name) => [name, DYN] as const)
  const { problems } = checkExpression(parsed.node, Object.fromEntries(names))
  const feature = featureOf(problems)
  if (!disableCheck && (checkOnly || problems.length > 0)) return { failure: problems[0]?.message, feature }
  try {
    const root = (name: string) => fieldOf(roots, name)
    return { value: evaluateNode(parsed.node, { root, startedAt: undefined, failed: false, budget: new Budget() }) }
  } catch (error) {
    if (error instanceof ExpressionFailure) return { failure: error.message, feature }
    throw error
  }
}

/** The part of CEL that our language does not have, according to its error. */
function featureOf(problems: readonly { readonly code: string; readonly message: string }[]): string | undefined {
  for (const { code, message } of problems) {
    if (code === 'expression-unsupported') return message.replace(' are not part of the language', '')
    if (message === 'the two sides are never equal') return 'comparisons of texts that are never equal'
  }
  return undefined
}

type Roots = Readonly<Record<string, Value>>

/** The variables of a case; undefined if one of them is not a value of our language. */
function rootsOf({ bindings = {} }: SuiteCase): Roots | undefined {
  const roots: Record<string, Value> = {}
  for (const [name, { value = {} }] of Object.entries(bindings)) {
    const converted = convert(value)
    if (converted === undefined) return undefined
    roots[name] = converted
  }
  return roots
}

function expected({ value, typedResult }: SuiteCase): string {
  const wanted = value ?? typedResult?.result ?? { boolValue: true }
  const converted = convert(wanted)
  return converted === undefined ? `${JSON.stringify(wanted)}, which is no value of ours` : shown(converted)
}

/** A value of the suite as a value of our language; undefined if there is no such value. */
function convert(value: SuiteValue): Value | undefined {
  const [[kind, content] = []] = Object.entries(value)
  switch (kind) {
    case 'int64Value':
      return BigInt(content as string)
    case 'doubleValue':
      return Number(content)
    case 'stringValue':
    case 'boolValue':
    case 'nullValue':
      return content as Value
    case 'listValue': {
      const { values = [] } = content as { values?: readonly SuiteValue[] }
      const items = values.map(convert).filter((item) => item !== undefined)
      return items.length === values.length ? items : undefined
    }
    case 'mapValue':
      return convertMap(content as { entries?: readonly { key: SuiteValue; value: SuiteValue }[] })
    case 'objectValue':
      return convertMessage(content as { '@type': string; value: string })
    default:
      return undefined
  }
}

function convertMap({ entries = [] }: { entries?: readonly { key: SuiteValue; value: SuiteValue }[] }) {
  const map: Record<string, Value> = {}
  for (const entry of entries) {
    const [key, value] = [convert(entry.key), convert(entry.value)]
    if (typeof key !== 'string' || value === undefined) return undefined
    map[key] = value
  }
  return map
}

function convertMessage(message: { '@type': string; value: string }): Value | undefined {
  if (message['@type'].endsWith('/google.protobuf.Duration')) return parseDurationValue(message.value)
  return message['@type'].endsWith('/google.protobuf.Timestamp') ? parseTimestamp(message.value) : undefined
}

/** A value as text that distinguishes types, such as 1 and 1.0. Fields are sorted. */
function shown(value: Value): string {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') return `double ${value + 0}`
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (value instanceof Timestamp || value instanceof Duration) return `${value.constructor.name} ${value.ns}`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${shown(field ?? null)}`)
  return `{${fields.sort().join(', ')}}`
}
