import { Environment } from '@marcbachmann/cel-js/evaluator'
import type { Template } from '../../src/core/template.ts'
import { evaluateTemplate } from '../../src/expressions/evaluate.ts'
import { compare } from '../support/compare.ts'
import { printReport, type Row } from '../support/report.ts'

/** Evaluations per second of typical expressions, compared to the CEL library with the same names and values. */
const ROUNDS = 15
const ROUND_MS = 300

const EXPRESSIONS = [
  'inputs.file',
  'steps.match.outputs.matchCount >= inputs.minimumMatch',
  '"intenders-" + inputs.region + "-" + steps.segment.outputs.segmentId',
  'steps.match.outputs.matchCount * 2 >= last.outputs.matchCount && steps.segment.status == "succeeded"',
  'inputs.partners.filter(p, p > 2001).map(p, p * 2)',
  'has(steps.match.outputs.description) ? steps.match.outputs.description : "none"',
]

const scope = {
  inputs: { file: 'data/auto.csv', minimumMatch: 100n, region: 'north', partners: [2001n, 2002n, 2003n, 2004n] },
  steps: {
    segment: { status: 'succeeded', outputs: { segmentId: '0123456789abcdef01234567' } },
    match: { status: 'succeeded', outputs: { matchCount: 1234n, matchJobId: '77' } },
  },
  last: { outputs: { matchCount: 1300n } },
}

const library = new Environment({ unlistedVariablesAreDyn: true })
const rows: Row[] = []
for (const source of EXPRESSIONS) {
  const template: Template = { kind: 'expression', expression: { source, at: { file: 'bench', line: 1, column: 1 } } }
  const bare = library.parse(source)
  const ours = () => evaluateTemplate(template, scope)
  const peer = () => bare(scope)
  if (json(ours()) !== json(peer())) throw new Error(`${source}: ${json(ours())} is not ${json(peer())}`)
  rows.push(
    await compare({
      name: source,
      unit: '/s',
      rounds: ROUNDS,
      ours: () => perSecond(ours),
      peer: () => perSecond(peer),
      limit: 'none',
    }),
  )
}
printReport('Evaluating expressions (ours) beside the bare CEL library (peer)', rows, [
  `${ROUNDS} rounds of ${ROUND_MS} ms a side; both parse once. No limit is stated. Ours makes a scope and a budget for each evaluation.`,
])

function perSecond(evaluate: () => unknown): number {
  const begun = performance.now()
  let count = 0
  while (performance.now() - begun < ROUND_MS) {
    for (let index = 0; index < 1000; index += 1) evaluate()
    count += 1000
  }
  return count / ((performance.now() - begun) / 1000)
}

function json(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? `${member}n` : member))
}
