import { expect, test } from 'vitest'
import { parseExpression } from '../../src/expressions/parse.ts'
import { readsRoot, referencesIn } from '../../src/expressions/references.ts'

/** The values that are read, written with dots (`?`: computed), and then the called functions. */
const CASES: readonly [expression: string, reads: string, calls?: string][] = [
  ['steps.seg.outputs.segmentId', 'steps.seg.outputs.segmentId'],
  ['steps["seg"].outputs.segmentId', 'steps.seg.outputs.segmentId'],
  [`steps['seg']["outputs"].segmentId`, 'steps.seg.outputs.segmentId'],
  ['steps [ r"seg" ] . outputs', 'steps.seg.outputs'],
  ['steps[inputs.which].outputs', 'inputs.which steps.?.outputs'],
  ['steps["se" + "g"].outputs', 'steps.?.outputs'],
  ['steps.each.outputs[0].matchId', 'steps.each.outputs.?.matchId'],
  ['steps', 'steps'],
  ['size(steps)', 'steps', 'size'],
  ['(inputs.one ? steps.a : steps.b).outputs', 'inputs.one steps.a steps.b'],
  // Strings are only text, whatever they contain.
  ['inputs.note != "failure (of last night)"', 'inputs.note'],
  ['"steps.seg.outputs and last.outputs and run.id" == trigger.kind', 'trigger.kind'],
  ['failure()', '', 'failure'],
  ['!failure () && success()', '', 'failure success'],
  ['inputs.failure', 'inputs.failure'],
  ['has(last.outputs)', 'last.outputs', 'has'],
  ['has(last.steps["match"].outputs) || inputs.first', 'last.steps.match.outputs inputs.first', 'has'],
  [
    'default(last.outputs.matchCount, steps.match.outputs.matchCount)',
    'last.outputs.matchCount steps.match.outputs.matchCount',
    'default',
  ],
  ['inputs.last', 'inputs.last'],
  ['{"last": inputs.a, inputs.b: [env.C, -inputs.d]}', 'inputs.a inputs.b env.C inputs.d'],
  ['inputs.a in trigger.b ? run.id : formatDate(now(), "yyyy")', 'inputs.a trigger.b run.id', 'formatDate now'],
  ['inputs.name.startsWith(env.PREFIX)', 'inputs.name env.PREFIX'],
  // In a macro, its variable is not a root, whatever its name. Outside the macro, and in its range, the name is a root.
  ['inputs.list.map(n, n.id)', 'inputs.list'],
  ['inputs.list.map(steps, steps.seg.outputs)', 'inputs.list'],
  ['inputs.list.exists(last, last > 1) && last.outputs.n > 1', 'inputs.list last.outputs.n'],
  ['steps.seg.outputs.list.filter(steps, steps > steps)', 'steps.seg.outputs.list'],
  ['inputs.list.map(a, inputs.other.all(b, a == b && c))', 'inputs.list inputs.other c'],
  ['inputs.list.all(id, steps[id].status == "failed")', 'inputs.list steps.?.status'],
  ['inputs.list.exists_one(run, run == run.id)', 'inputs.list'],
]

test.each(CASES)('%s', (source, reads, calls = '') => {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  const references = referencesIn(parsed.node)
  const written = references.reads.map(({ root, path }) => [root, ...path.map((field) => field ?? '?')].join('.'))
  expect(written.join(' ')).toBe(reads)
  expect([...references.calls].join(' ')).toBe(calls)
})

test('tells whether a root is read', () => {
  const parsed = parseExpression('inputs.list.map(steps, steps + last.outputs.n)')
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  const references = referencesIn(parsed.node)
  expect(['inputs', 'steps', 'last', 'run'].filter((root) => readsRoot(references, root))).toEqual(['inputs', 'last'])
})

test.each(['steps.?seg', 'steps[?"seg"]', '[?inputs.a]', '{?"a": inputs.a}'])(
  'optional fields are not part of the language: %s',
  (source) => {
    expect(parseExpression(source)).toMatchObject({ problem: { code: 'expression-unsupported' } })
  },
)
