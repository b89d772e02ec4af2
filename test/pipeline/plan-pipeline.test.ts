import { expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { planPipeline } from '../../src/pipeline/plan-pipeline.ts'
import { planVariables } from '../../src/pipeline/plan-variables.ts'
import type { Forecast, ForecastQuestion, PlanDeps } from '../../src/pipeline/step-plan.ts'
import { describeGuardPlan } from '../../src/runs/guards/plan-guard.ts'
import { stepTypes } from '../../src/steps/index.ts'

const HEAD =
  'version: 1\nname: test\ninputs: { least: { type: integer, default: 100 }, ids: { type: list, default: [a, b] } }\nsteps:\n'

/** Plans steps; each would do what `answers` says. Also returns the calls. */
async function plan(
  steps: string,
  answers: Readonly<Record<string, Partial<Forecast>>>,
  { last, guards = new Map() }: Partial<Pick<PlanDeps, 'last' | 'guards'>> = {},
) {
  const { pipeline, diagnostics } = loadPipeline({ text: HEAD + steps, file: '/p/x.yaml', stepTypes })
  expect(diagnostics).toEqual([])
  const questions: ForecastQuestion[] = []
  const plans = await planPipeline({
    pipeline: pipeline!,
    inputs: { least: 100n, ids: ['a', 'b'] },
    profile: 'local',
    env: {},
    last,
    cwd: '/',
    stepTypes,
    guards,
    forecast: async (question) => {
      questions.push(question)
      return { action: 'create', requests: [], outputs: {}, complete: false, ...answers[question.stepId] }
    },
  })
  return { plans, questions }
}

const get = '  - { id: seg, uses: segments.get, with: { id: s1 } }\n'

test('what a read gives is known to the steps after it, what a write gives is not', async () => {
  const { questions } = await plan(
    `${get}  - { id: made, uses: segments.refresh, with: { id: "\${{ steps.seg.outputs.id }}" } }
  - { id: after, uses: segments.get, with: { id: "\${{ steps.made.outputs.segmentId }}" } }
`,
    { seg: { action: 'read', outputs: { id: 's1', segmentName: 'x' }, complete: true } },
  )
  expect(questions.map(({ stepId, input, unknown }) => [stepId, input, unknown])).toEqual([
    ['seg', { id: 's1' }, []],
    ['made', { id: 's1' }, []],
    ['after', {}, ['id']],
  ])
})

test('of a write some outputs may be known, such as the id of what it refreshes', async () => {
  const { questions } = await plan(
    `  - { id: made, uses: segments.refresh, with: { id: s1 } }
  - { id: known, uses: segments.get, with: { id: "\${{ steps.made.outputs.segmentId }}" } }
  - { id: open, uses: segments.get, with: { id: "\${{ steps.made.outputs.jobId }}" } }
`,
    { made: { action: 'refresh', outputs: { segmentId: 's1' } }, known: { complete: true } },
  )
  expect(questions.map(({ unknown }) => unknown)).toEqual([[], [], ['id']])
  expect([...(questions[1]?.rebuilt ?? [])]).toEqual(['s1'])
})

test('what stands in brackets is known as what stands after a dot, and text in quotes names nothing', async () => {
  const { plans, questions } = await plan(
    `  - { id: made, uses: segments.refresh, with: { id: s1 } }
  - { id: known, uses: segments.get, with: { id: '\${{ steps["made"].outputs["segmentId"] }}' } }
  - { id: open, uses: segments.get, with: { id: '\${{ steps["made"].outputs.jobId }}' } }
  - { id: text, uses: segments.get, with: { id: x }, if: '\${{ size("steps.nowhere, run.id, now ()") > 0 }}' }
`,
    { made: { action: 'refresh', outputs: { segmentId: 's1' } }, known: { complete: true } },
  )
  expect(questions.map(({ unknown }) => unknown)).toEqual([[], [], ['id'], []])
  expect(plans.map(({ action }) => action)).toEqual(['refresh', 'create', 'create', 'create'])
})

test('nothing is known of the run itself', async () => {
  const { questions } = await plan('  - { id: seg, uses: segments.get, with: { id: "x-${{ run.id }}" } }\n', {})
  expect(questions[0]?.unknown).toEqual(['id'])
})

test('variables are known, but for those that read the run or the time', async () => {
  const text = `version: 1
name: test
inputs: { region: { type: string } }
variables:
  owner: m-\${{ inputs.region }}
  half: \${{ 4.0 * 0.5 }}
  day: \${{ today() }}
  both: \${{ variables.owner }} \${{ variables.day }}
steps:
  - { id: known, uses: segments.get, with: { id: "\${{ variables.owner }}-\${{ variables.half * 1.5 }}" } }
  - { id: open, uses: segments.get, with: { id: "\${{ variables.both }}" } }
`
  const { pipeline } = loadPipeline({ text, file: '/p/x.yaml', stepTypes })
  const inputs = { region: 'eu' }
  expect(planVariables({ pipeline: pipeline!, inputs, profile: 'local' })).toEqual({
    values: { owner: 'm-eu', half: 2 },
    unknown: ['day', 'both'],
  })
  const questions: ForecastQuestion[] = []
  await planPipeline({
    ...{
      pipeline: pipeline!,
      inputs,
      profile: 'local',
      env: {},
      last: undefined,
      guards: new Map(),
      cwd: '/',
      stepTypes,
    },
    forecast: async (question) => {
      questions.push(question)
      return { action: 'read', requests: [], outputs: {}, complete: true }
    },
  })
  expect(questions.map(({ input, unknown }) => [input, unknown])).toEqual([
    [{ id: 'm-eu-3' }, []],
    [{}, ['id']],
  ])
})

test('guards are told where they can be known', async () => {
  const match = `  - id: match
    uses: matches.get
    with: { matchId: 7 }
    expect:
      - { check: "\${{ outputs.matchCount >= inputs.least }}" }
      - { check: "\${{ !has(last.outputs) || outputs.matchCount * 2 >= last.outputs.matchCount }}" }
`
  const known = { match: { action: 'read', outputs: { matchId: '7', matchCount: 120 }, complete: true } } as const
  const states = async (...args: Parameters<typeof plan>) =>
    (await plan(...args)).plans[0]?.guards.map(({ state }) => state)
  expect(await states(match, known)).toEqual(['holds', 'holds'])
  expect(await states(match, known, { last: { match: { matchCount: 1000 } } })).toEqual(['holds', 'fails'])
  expect(await states(match, {})).toEqual(['afterRun', 'afterRun'])
})

test('a step whose `if` does not hold is skipped, one whose `if` is open is known after the run', async () => {
  const { plans, questions } = await plan(
    `  - { id: no, uses: segments.get, if: "\${{ inputs.least > 100 }}", with: { id: s1 } }
  - { id: made, uses: segments.refresh, with: { id: s1 } }
  - { id: open, uses: segments.get, if: "\${{ steps.made.outputs.jobId == '1' }}", with: { id: s1 } }
`,
    {},
  )
  expect(plans.map(({ id, action }) => [id, action])).toEqual([
    ['no', 'skip'],
    ['made', 'create'],
    ['open', 'afterRun'],
  ])
  expect(questions.map(({ stepId }) => stepId)).toEqual(['made'])
})

test('a forEach is told for each of its items', async () => {
  const { plans } = await plan(
    '  - { id: each, uses: segments.get, forEach: { items: "${{ inputs.ids }}", as: one }, with: { id: "${{ one }}" } }\n',
    {
      each: { action: 'read', complete: true },
    },
  )
  expect(plans[0]).toMatchObject({
    action: 'read',
    why: 'for each of 2 items',
    items: [{ id: 'each' }, { id: 'each' }],
  })
})

/** A forEach over two steps, with the lines of its `forEach`. */
const blockOf = (forEach: string) => `  - id: each
    forEach: { ${forEach} }
    steps:
      - { id: seg, uses: segments.get, with: { id: "\${{ one }}" } }
      - { id: again, uses: segments.get, if: "\${{ index == 0 }}", with: { id: "\${{ steps.seg.outputs.id }}" } }
  - { id: after, uses: segments.get, with: { id: "\${{ steps.each.outputs[0].steps.seg.id }}" } }
`

test('a forEach over several steps is told item by item and step by step, each with what the item knows', async () => {
  const keyed = blockOf('items: "${{ inputs.ids }}", as: one, key: "${{ one }}"')
  const seg = { action: 'read', outputs: { id: 's1', segmentName: 'x' }, complete: true } as const
  const { plans, questions } = await plan(keyed, { 'seg[a]': seg, 'seg[b]': seg, 'again[a]': seg })
  expect(plans[0]).toMatchObject({ id: 'each', uses: 'forEach', action: 'run', why: 'for each of 2 items' })
  expect(plans[0]?.items?.map(({ execution, action }) => `${execution} ${action}`)).toEqual([
    ...['each[a].seg read', 'each[a].again read', 'each[b].seg read', 'each[b].again skip'],
  ])
  expect(questions.map(({ stepId, input, unknown }) => [stepId, input, unknown])).toEqual([
    ['seg[a]', { id: 'a' }, []],
    ['again[a]', { id: 's1' }, []],
    ['seg[b]', { id: 'b' }, []],
    // If a step is skipped for an item, the content of the list is unknown.
    ['after', {}, ['id']],
  ])
})

test('an item has its own line of a guard, also one without values yet', async () => {
  const keyed = blockOf('items: "${{ inputs.ids }}", as: one, key: "${{ one }}"')
  const ofA = { item: 'a', values: [5, 6] }
  const guard = { of: 'outputs.n', onBreach: 'fail', warmUp: 3, learned: [ofA] } as const
  const { plans } = await plan(keyed, {}, { guards: new Map([['seg', guard]]) })
  const items = plans[0]?.items ?? []
  expect(items.map((item) => item.guard?.learned)).toEqual([[ofA], undefined, [{ item: 'b', values: [] }], undefined])
  expect(describeGuardPlan(items[2]!.guard!)).toEqual(['guard of b: no values yet; it judges once it has 3'])
})

test('a forEach whose items are not known yet is told once, with its steps', async () => {
  const later = `${get.replace('seg', 'before')}${blockOf('items: "${{ [steps.before.outputs.segmentFileName] }}", as: one')}`
  const { plans, questions } = await plan(later, {})
  expect(plans[1]).toMatchObject({ action: 'afterRun', why: 'its items depend on earlier steps' })
  expect(plans[1]?.items?.map(({ id, action, unknown }) => [id, action, unknown])).toEqual([
    ['seg', 'create', ['id']],
    ['again', 'afterRun', []],
  ])
  expect(questions.map(({ stepId }) => stepId)).toEqual(['before', 'seg', 'after'])
})

test('keys that a run would refuse are told before it', async () => {
  const { plans } = await plan(blockOf('items: "${{ inputs.ids }}", as: one, key: "${{ string(size(one)) }}"'), {})
  expect(plans[0]).toMatchObject({
    action: 'fail',
    why: 'item 1 of step "each" has the key "1", which item 0 also has',
  })
})
