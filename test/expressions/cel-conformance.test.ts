import { describe, expect, test } from 'vitest'
import { absentParts } from '../../src/expressions/absent.ts'
import { judge, type SuiteCase, suiteFiles, type Verdict } from './cel-suite.ts'

/** Expressions mean what CEL says: its official conformance suite, all of it. */
describe('the conformance suite of CEL', () => {
  const files = suiteFiles().map(({ file, cases }) => ({ file, verdicts: cases.map(judge) }))
  const all = files.flatMap(({ verdicts }) => verdicts)

  test.each(files)(
    '$file has no wrong value, misses no error, and refuses nothing without saying why',
    ({ verdicts }) => {
      expect(verdicts.filter(({ kind }) => kind !== 'right' && kind !== 'unsupported')).toEqual([])
    },
  )

  test('is counted: what is right stays right, and no more is unsupported', () => {
    expect(countBy(all, ({ kind }) => kind)).toEqual({ right: 794, unsupported: 1550 })
    const unsupported = all.filter((verdict) => verdict.kind === 'unsupported')
    expect(countBy(unsupported, ({ feature }) => feature)).toEqual({
      bytes: 106,
      'comparisons of texts that are never equal': 6,
      'functions with a namespace': 247,
      'map keys other than strings': 34,
      'lastIndexOf(), reverse(), and the second argument of indexOf()': 27,
      'macros with two variables': 43,
      'names and functions that a program adds': 27,
      'names in backticks, and names and numbers that begin with a dot': 11,
      'optional values': 67,
      'protobuf messages and enums': 665,
      'types as values': 230,
      'unsigned integers': 83,
      'variables that are not JSON': 4,
    })
  })

  test('lists every part that the reference says is absent', () => {
    const features = new Set(all.map((verdict) => (verdict.kind === 'unsupported' ? verdict.feature : '')))
    expect(absentParts.map(({ what }) => what).filter((what) => !features.has(what))).toEqual([])
  })

  /** `dyn()` only hides a type from CEL's checker. Without it and without the checker, these cases apply to us, too. */
  test('is right without dyn(), but for what we do on purpose', () => {
    const cases = suiteFiles().flatMap((file) => file.cases.filter(({ expr }) => expr.includes('dyn(')))
    const verdicts = cases.map((one) => judge({ ...one, expr: one.expr.replaceAll('dyn(', '('), disableCheck: true }))
    expect(verdicts.filter(({ kind }) => kind !== 'right' && kind !== 'unsupported')).toEqual([
      // We compare an integer with a double exactly, as CEL's definition says. The suite first converts it to a double.
      { kind: 'wrong', detail: '(9223372036854775807) < 9223372036854775808.0 gave true, not false' },
      { kind: 'wrong', detail: '(9223372036854775808.0) > 9223372036854775807 gave true, not false' },
      { kind: 'wrong', detail: '(9223372036854775808.0) <= 9223372036854775807 gave false, not true' },
      { kind: 'wrong', detail: '(9223372036854775807) >= 9223372036854775808.0 gave false, not true' },
      { kind: 'refused', detail: '[7, 8, 9][(0.0)]: cannot index a list by a number' },
    ])
    expect(countBy(verdicts, ({ kind }) => kind)).toEqual({ refused: 1, right: 86, unsupported: 149, wrong: 4 })
  })
})

/** Tests the judge itself: each of these would be a defect of ours. */
describe('the judge', () => {
  test.each<[Verdict['kind'], SuiteCase]>([
    ['right', { expr: '1 + 1', value: { int64Value: '2' } }],
    ['right', { expr: '1 == 1' }],
    ['right', { expr: '1 / 0', evalError: {} }],
    ['right', { expr: 'x.a', value: { doubleValue: 0 }, bindings: { x: { value: map('a', { doubleValue: -0 }) } } }],
    ['wrong', { expr: '1 + 1', value: { int64Value: '3' } }],
    ['wrong', { expr: '1 + 1', value: { doubleValue: 2 } }],
    ['wrong', { expr: '1', value: { uint64Value: '1' } }],
    ['wrong', { expr: '1 == 2' }],
    ['missed', { expr: '1 + 1', evalError: {} }],
    ['refused', { expr: '1 / 0', value: { int64Value: '1' } }],
    ['refused', { expr: 'nope(1)', value: { int64Value: '1' } }],
    ['refused', { expr: '(1', value: { int64Value: '1' } }],
    ['unsupported', { expr: '1u', value: { uint64Value: '1' } }],
    ['unsupported', { expr: 'x', value: { bytesValue: '' }, bindings: { x: { value: { bytesValue: '' } } } }],
  ])('%s: %o', (kind, suiteCase) => {
    expect(judge(suiteCase).kind).toBe(kind)
  })
})

function map(key: string, value: NonNullable<SuiteCase['value']>) {
  return { mapValue: { entries: [{ key: { stringValue: key }, value }] } }
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}
