import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { Block, Pipeline } from '../../src/core/pipeline.ts'
import { type KeptExecution, type RunRecord, type SettledStatus, type StepRef, stepKey } from '../../src/core/run.ts'
import { evaluateTemplate } from '../../src/expressions/evaluate.ts'
import { decide } from '../../src/runs/decide.ts'
import { itemAt } from '../../src/runs/item.ts'
import { foldRecords } from '../../src/runs/run-state.ts'
import { scopeOf } from '../../src/runs/scope.ts'
import { seedOf } from '../../src/runs/seed.ts'
import { block, expression, pipeline, step, template } from '../support/pipelines.ts'
import { brief, briefKept, factsOf, recordsOf } from '../support/run-facts.ts'

const error = { code: 'x', kind: 'failed', message: 'broken' } as const

/** `b`, `b[x]` or `b[x].up`; the items are x, y and z. */
function ref(text: string): StepRef {
  const [, id = '', key, inner] = /^(\w+)(?:\[(\w)\](?:\.(\w+))?)?$/.exec(text) ?? []
  if (key === undefined) return { step: id }
  const place = { index: 'xyz'.indexOf(key), key }
  return inner === undefined ? { step: id, ...place } : { step: inner, ...place, block: id }
}

const expanded = (keys = ['x', 'y', 'z']): RunRecord => ({ type: 'step.expanded', step: 'b', items: keys, keys })
const began = (text: string): RunRecord => ({ type: 'step.started', ...ref(text), attempt: 1 })
const ended = (text: string, status: SettledStatus = 'succeeded', outputs?: Json): RunRecord => ({
  type: 'step.finished',
  ...ref(text),
  status,
  ...(status === 'succeeded' && { outputs: outputs ?? { of: text } }),
  ...(status === 'failed' && { error }),
})
const failed = (text: string) => ended(text, 'failed')
/** An item that was done from its first step to its last. */
const whole = (key: string): RunRecord[] => [ended(`b[${key}].up`), ended(`b[${key}].seg`), done(key)]
const done = (key: string, status: SettledStatus = 'succeeded'): RunRecord => ({
  type: 'step.finished',
  ...ref(`b[${key}]`),
  status,
  ...(status === 'failed' && { error: { ...error, step: `b[${key}].seg` } }),
})
const broken = (key: string): RunRecord[] => [ended(`b[${key}].up`), failed(`b[${key}].seg`), done(key, 'failed')]

const chain = [step('up'), step('seg', { needs: ['up'] })]
const document = (own: Parameters<typeof block>[2] = {}, steps = chain, more: Partial<Pipeline> = {}) =>
  pipeline([step('first'), block('b', steps, { needs: ['first'], ...own }), step('last', { needs: ['b'] })], more)

type Row = readonly [says: string, document: Pipeline, records: readonly RunRecord[], decided: readonly string[]]

describe('a forEach over several steps', () => {
  const first = ended('first')
  test.each<Row>([
    ['takes down its items and their keys', document(), [first], ['step.expanded b']],
    ['begins as many items as may be', document(), [first, expanded()], ['start b[x].up#1 x', 'start b[y].up#1 y']],
    [
      'goes on within an item, whatever the others do',
      document(),
      [first, expanded(), ended('b[x].up'), began('b[y].up')],
      ['start b[x].seg#1 x', 'start b[y].up#1 y'],
    ],
    [
      'ends an item after its last step',
      document(),
      [first, expanded(), ended('b[x].up'), ended('b[x].seg'), began('b[y].up')],
      ['step.finished b[x] succeeded'],
    ],
    [
      'begins the next item then',
      document(),
      [first, expanded(), ...whole('x'), began('b[y].up')],
      ['start b[y].up#1 y', 'start b[z].up#1 z'],
    ],
    [
      'skips within an item what needs a failed step of it',
      document(),
      [first, expanded(), failed('b[x].up'), ended('b[y].up')],
      ['step.finished b[x].seg skipped', 'start b[y].seg#1 y'],
    ],
    [
      'lets an item fail with a step of it',
      document(),
      [first, expanded(), failed('b[x].up'), ended('b[x].seg', 'skipped')],
      ['step.finished b[x] failed'],
    ],
    [
      'begins no item after a failure, and lets those go on that have begun',
      document(),
      [first, expanded(), ...broken('x'), ended('b[y].up')],
      ['start b[y].seg#1 y'],
    ],
    ['fails then', document(), [first, expanded(), ...broken('x'), ...whole('y')], ['step.finished b failed']],
    [
      'goes on while no more have failed than may',
      document({ forEach: { maxFailures: { count: 1 } } }),
      [first, expanded(), ...broken('x'), ...whole('y')],
      ['start b[z].up#1 z'],
    ],
    [
      'succeeds with as many failures as may be',
      document({ forEach: { maxFailures: { count: 1 } } }),
      [first, expanded(), ...broken('x'), ...whole('y'), ...whole('z')],
      ['step.finished b succeeded'],
    ],
    [
      'counts a share of all items, rounded down',
      document({ forEach: { maxFailures: { percent: 66 } } }),
      [first, expanded(), ...broken('x'), ...broken('y')],
      ['step.finished b failed'],
    ],
    [
      'with a share that is exactly reached goes on',
      document({ forEach: { maxFailures: { percent: 67 } } }),
      [first, expanded(), ...broken('x'), ...broken('y')],
      ['start b[z].up#1 z'],
    ],
    [
      'does all items where its failure is allowed',
      document({ continueOnError: true }),
      [first, expanded(), ...broken('x'), ...broken('y')],
      ['start b[z].up#1 z'],
    ],
    [
      'stops where there are too many, also if its failure is allowed',
      document({ continueOnError: true, forEach: { maxFailures: { count: 1 } } }),
      [first, expanded(), ...broken('x'), ...broken('y')],
      ['step.finished b failed'],
    ],
    [
      'asks each item about the condition of a step',
      document({}, [step('up', { if: expression('item == "y" && index == 1') })]),
      [first, expanded()],
      ['step.finished b[x].up skipped', 'start b[y].up#1 y'],
    ],
    [
      'lets a step of an item run because of a failure in it alone',
      document({}, [step('up'), step('seg', { needs: ['up'], if: expression('failure()') })]),
      [first, expanded(), failed('b[x].up'), ended('b[y].up')],
      ['step.finished b[y].seg skipped', 'start b[x].seg#1 x'],
    ],
    [
      'lets an item succeed whose failed step may fail',
      document({}, [step('up', { continueOnError: true })]),
      [first, expanded(), failed('b[x].up'), ended('b[y].up')],
      ['step.finished b[x] succeeded', 'step.finished b[y] succeeded'],
    ],
    ['succeeds without items', document(), [first, expanded([])], ['step.finished b succeeded']],
    [
      'ends from the inside out when cancelled',
      document(),
      [first, expanded(), ...whole('x'), ended('b[y].up'), began('b[y].seg'), { type: 'cancel.requested' }],
      [
        'step.finished b[y].seg cancelled',
        'step.finished b[y] cancelled',
        'step.finished b cancelled',
        'step.finished last cancelled',
      ],
    ],
    [
      'waits for a person in one item while others go on',
      document(),
      [first, expanded(), began('b[x].up'), { type: 'step.waiting', ...ref('b[x].up'), reason: 'approval', error }],
      ['start b[y].up#1 y'],
    ],
    [
      'is skipped as a whole',
      pipeline([block('b', chain, { if: expression('1 > 2') })]),
      [],
      ['step.finished b skipped'],
    ],
    [
      'runs after the others in finally, and is not cancelled',
      pipeline([step('first')], { finally: [block('b', chain)] }),
      [{ type: 'cancel.requested' }, ended('first', 'cancelled'), expanded(), ended('b[x].up')],
      ['start b[x].seg#1 x', 'start b[y].up#1 y'],
    ],
  ])('%s', (_says, pipeline, records, decided) => {
    expect(brief(decide(factsOf(pipeline, records), 0))).toEqual(decided)
  })

  test('its outputs say of each item in order what became of it', () => {
    const records = [ended('first'), expanded(), ...whole('y'), ...broken('x')]
    expect(decide(factsOf(document(), records), 0).records).toEqual([
      {
        type: 'step.finished',
        step: 'b',
        status: 'failed',
        error: { ...error, step: 'b[x].seg' },
        outputs: [
          { key: 'x', index: 0, status: 'failed', error: 'broken', steps: { up: { of: 'b[x].up' } } },
          {
            key: 'y',
            index: 1,
            status: 'succeeded',
            steps: { up: { of: 'b[y].up' }, seg: { of: 'b[y].seg' } },
          },
          { key: 'z', index: 2, status: 'skipped', steps: {} },
        ],
      },
    ])
  })

  test('a run tells in which step of which item it failed', () => {
    const records = [
      ended('first'),
      expanded(),
      ...broken('x'),
      { ...failed('b'), error: { ...error, step: 'b[x].seg' } },
    ]
    const decided = decide(factsOf(document(), [...records, ended('last', 'skipped')] as RunRecord[]), 0)
    expect(decided.records).toMatchObject([{ type: 'run.finished', status: 'failed', error: { step: 'b[x].seg' } }])
  })

  test.each([
    ['items that failed', [...broken('x'), ...whole('y'), ...whole('z')], { failures: 1, failuresOf: 3 }],
    [
      'steps that may fail, once for each item',
      [failed('b[x].up'), failed('b[x].seg'), done('x'), ...whole('y'), ...whole('z')],
      { failures: 1, failuresOf: 3 },
    ],
    ['nothing where all went well', [...whole('x'), ...whole('y'), ...whole('z')], {}],
  ])('a run that succeeds counts %s', (_says, items, counted) => {
    const lenient = document({ forEach: { maxFailures: { count: 1 } } })
    const records = [ended('first'), expanded(), ...items, ended('b'), ended('last')]
    expect(decide(factsOf(lenient, records), 0).records).toEqual([
      { type: 'run.finished', status: 'succeeded', outputs: {}, ...counted },
    ])
  })
})

describe('what failed in a run that succeeds', () => {
  const lenient = { continueOnError: true }
  const three = [step('p'), step('q', lenient), step('r', lenient)]
  const items = block('b', chain, { forEach: { maxFailures: { count: 1 } } })
  const partly = [expanded(), ...broken('x'), ...whole('y'), ...whole('z'), ended('b')]
  test.each([
    ['one of its steps', three, [ended('p'), failed('q'), ended('r')], { failures: 1, failuresOf: 3 }],
    [
      'a step, not among the skipped',
      three,
      [ended('p'), failed('q'), ended('r', 'skipped')],
      { failures: 1, failuresOf: 2 },
    ],
    [
      'items, not among the steps',
      [...three, items],
      [ended('p'), ended('q'), ended('r'), ...partly],
      { failures: 1, failuresOf: 3 },
    ],
    [
      'items and a step',
      [...three, items],
      [ended('p'), failed('q'), ended('r'), ...partly],
      { failures: 2, failuresOf: 6 },
    ],
  ])('is counted: %s', (_says, steps, records, counted) => {
    expect(decide(factsOf(pipeline(steps), records), 0).records).toEqual([
      { type: 'run.finished', status: 'succeeded', outputs: {}, ...counted },
    ])
  })
})

describe('the keys of items', () => {
  const keyed = (items: readonly unknown[], key: string) =>
    pipeline([block('b', chain, { forEach: { items: template(items), key: template(key) } })])
  test.each([
    ['texts', ['x', 'y'], '${{ item }}', ['x', 'y']],
    ['integers, written as texts', [7, 8], '${{ item }}', ['7', '8']],
    ['expressions with the index', [7, 8], '${{ string(index) + "!" }}', ['0!', '1!']],
    ['long, but not too long', ['a'.repeat(100)], '${{ item }}', ['a'.repeat(100)]],
  ])('can be %s', (_says, items, key, keys) => {
    expect(decide(factsOf(keyed(items, key), []), 0).records).toMatchObject([{ type: 'step.expanded', keys }])
  })

  test.each([
    ['the same twice', ['x', 'y', 'x'], '${{ item }}', 'item 2 of step "b" has the key "x", which item 0 also has'],
    ['empty', ['x', ' '], '${{ item }}', 'item 1 of step "b" has an empty key'],
    ['too long', ['a'.repeat(101)], '${{ item }}', 'item 0 of step "b" has a key of 101 characters; the limit is 100'],
    ['over several lines', ['a\nb'], '${{ item }}', 'item 0 of step "b" has a key with a control character'],
    ['no text', [true], '${{ item }}', 'item 0 of step "b" has a key that is not a text'],
    ['a fraction', [1.5], '${{ item }}', 'item 0 of step "b" has a key that is not a text'],
  ])('cannot be %s: the forEach fails before its first item', (_says, items, key, message) => {
    expect(decide(factsOf(keyed(items, key), []), 0).records).toMatchObject([
      { type: 'step.finished', step: 'b', status: 'failed', error: { code: 'for-each-key', message } },
    ])
  })

  test('and what follows them are told apart whatever a key holds', () => {
    const texts = [
      { step: 's', index: 0, key: 'a' },
      { step: 's', index: 0, key: 'a].t' },
      { step: 't', index: 0, key: 'a', block: 's' },
      { step: 't', index: 0, key: 'a].t', block: 's' },
      { step: 't', index: 0, key: 'a].t]', block: 's' },
    ].map(stepKey)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('expressions in a step of an item', () => {
  const inner = document({}, chain, { readsLast: true })
  const value = (source: string, records: readonly RunRecord[], key = 1) => {
    const facts = factsOf(inner, records)
    const of = inner.steps[1] as Block
    const item = itemAt(of, { items: ['x', 'y', 'z'], keys: ['x', 'y', 'z'] }, key)
    return evaluateTemplate(template(`\${{${source}}}`), scopeOf(facts, { step: of.steps[1]!, item }))
  }
  const records = [ended('first'), expanded(), ended('b[x].up'), ended('b[y].up')]

  test.each([
    ['the steps of the same item', 'steps.up.outputs.of', 'b[y].up'],
    ['steps before the forEach', 'steps.first.outputs.of', 'first'],
    ['the item and its index', 'item + string(index)', 'y1'],
  ])('read %s', (_says, source, read) => {
    expect(value(source, records)).toBe(read)
  })

  test('see a number in a list of numbers as one, also when it has been read back from JSON as `5`', () => {
    const forEach = { items: template('${{ inputs.shares }}'), itemSchema: { type: 'number' } }
    const numbers = pipeline([block('b', chain, { forEach })])
    const of = numbers.steps[0] as Block
    const item = itemAt(of, { items: [5], keys: ['x'] }, 0)
    const scope = scopeOf(factsOf(numbers, []), { step: of.steps[0]!, item })
    expect(evaluateTemplate(template('${{ item * 2.5 }}'), scope)).toBe(12.5)
  })

  test('read in `last` what the item with the same key gave, wherever it was then', () => {
    const outputs = [{ key: 'y', index: 0, status: 'succeeded', steps: { seg: { n: 7 }, up: { n: 8 } } }]
    const noted: RunRecord = { type: 'last.noted', last: { runId: 'r0', steps: { b: outputs } } }
    expect(value('last.outputs.n', [noted])).toBe(7n)
    expect(value('last.steps.up.outputs.n', [noted])).toBe(8n)
    expect(value('last.steps.b.outputs[0].steps.seg.n', [noted])).toBe(7n)
    expect(value('has(last.outputs)', [noted], 0)).toBe(false)
  })
})

describe('a rerun', () => {
  const of = (key: string, item = key): KeptExecution => ({
    ...ref(`b[${key}]`),
    item,
    from: 'r0',
    outputs: { up: { of: key }, seg: { of: key } },
  })
  const kept = (text: string, item: string): KeptExecution => ({
    ...ref(text),
    item,
    from: 'r0',
    outputs: { of: text },
  })

  test.each<
    readonly [says: string, keeps: readonly KeptExecution[], records: readonly RunRecord[], decided: readonly string[]]
  >([
    ['takes over whole items first', [of('z')], [expanded()], ['step.finished b[z] succeeded']],
    [
      'takes over the steps of an item when it begins',
      [kept('b[x].up', 'x')],
      [expanded()],
      ['step.finished b[x].up succeeded', 'start b[y].up#1 y'],
    ],
    [
      'goes on after them',
      [kept('b[x].up', 'x')],
      [expanded(), ended('b[x].up')],
      ['start b[x].seg#1 x', 'start b[y].up#1 y'],
    ],
    ['takes over an item that has moved', [of('x')], [expanded(['z', 'x'])], ['step.finished b[x] succeeded']],
    ['does an item again that has changed', [of('x', 'X')], [expanded(['x'])], ['start b[x].up#1 x']],
    ['does a step again whose item has changed', [kept('b[x].up', 'X')], [expanded(['x'])], ['start b[x].up#1 x']],
  ])('%s', (_says, keeps, records, decided) => {
    const own = { seed: { runId: 'r0', kept: keeps } }
    expect(brief(decide(factsOf(document(), [ended('first'), ...records], own), 0))).toEqual(decided)
  })

  test('gives the outputs of items that it took over', () => {
    const own = { seed: { runId: 'r0', kept: [of('x')] } }
    const took = { ...ended('b[x]'), outputs: { up: { of: 'x' }, seg: { of: 'x' } }, keptFrom: 'r0' } as RunRecord
    expect(decide(factsOf(document(), [ended('first'), expanded(['x']), took], own), 0).records).toMatchObject([
      { outputs: [{ key: 'x', status: 'succeeded', steps: { up: { of: 'x' }, seg: { of: 'x' } } }] },
    ])
  })

  const night = [ended('first'), expanded(), ...whole('x'), ...broken('y'), failed('b')]
  test.each<{
    says: string
    records: readonly RunRecord[]
    earlier?: readonly KeptExecution[]
    from?: string
    keeps: readonly string[]
  }>([
    {
      says: 'items that succeeded as one, and of the others the steps before the failure',
      records: night,
      keeps: ['first < r1', 'b[x] x < r1', 'b[y].up y < r1'],
    },
    {
      says: 'the forEach as one where nothing failed',
      records: [ended('first'), expanded(), ...whole('x'), ended('b')],
      keeps: ['first < r1', 'b < r1'],
    },
    {
      says: 'not the forEach as one where failures were let through',
      records: [ended('first'), expanded(), ...whole('x'), ...broken('y'), ended('b'), ended('last')],
      keeps: ['first < r1', 'b[x] x < r1', 'b[y].up y < r1', 'last < r1'],
    },
    {
      says: 'of an item in which a step was allowed to fail, the others',
      records: [ended('first'), expanded(), failed('b[x].up'), ended('b[x].seg'), done('x'), ended('b')],
      keeps: ['first < r1', 'b[x].seg x < r1'],
    },
    {
      says: 'what an earlier run had done first, and this one took over',
      records: [
        ended('first'),
        expanded(),
        { ...done('x'), outputs: { up: {} }, keptFrom: 'r0' } as RunRecord,
        ...broken('y'),
        failed('b'),
      ],
      keeps: ['first < r1', 'b[x] x < r0', 'b[y].up y < r1'],
    },
    {
      says: 'what this run had not come to',
      records: [ended('first'), expanded(), ...broken('x'), failed('b')],
      earlier: [of('z'), kept('b[y].up', 'y')],
      keeps: ['first < r1', 'b[z] z < r0', 'b[y].up y < r0', 'b[x].up x < r1'],
    },
    { says: 'nothing of the forEach from it on', records: [...night, ended('last')], from: 'b', keeps: ['first < r1'] },
    {
      says: 'all items but one',
      records: [...night, ended('last')],
      from: 'b[x]',
      keeps: ['first < r1', 'b[y].up y < r1'],
    },
    {
      says: 'of an item the steps before the one to begin at',
      records: [...night, ended('last')],
      from: 'b[x].seg',
      keeps: ['first < r1', 'b[x].up x < r1', 'b[y].up y < r1'],
    },
    {
      says: 'of every item the steps before the one to begin at',
      records: [ended('first'), expanded(), ...whole('x'), ...whole('y'), ended('b'), ended('last')],
      from: 'seg',
      keeps: ['first < r1', 'b[x].up x < r1', 'b[y].up y < r1'],
    },
    {
      says: 'of an item that was itself taken over, the steps before the one to begin at',
      records: [
        ended('first'),
        expanded(),
        { ...done('x'), outputs: { up: { n: 1 }, seg: {} }, keptFrom: 'r0' } as RunRecord,
        failed('b'),
      ],
      from: 'b[x].seg',
      keeps: ['first < r1', 'b[x].up x < r0'],
    },
    {
      says: 'of an item that was not come to, the steps before the one to begin at',
      records: [ended('first'), expanded(), ...broken('x'), failed('b')],
      earlier: [of('z')],
      from: 'seg',
      keeps: ['first < r1', 'b[z].up z < r0', 'b[x].up x < r1'],
    },
  ])('keeps $says', ({ records, earlier, from, keeps }) => {
    const own = earlier && { seed: { runId: 'r0', kept: earlier } }
    const state = foldRecords(recordsOf(document(), records, own))
    expect(seedOf(document(), { runId: 'r1', state }, from).kept.map(briefKept)).toEqual(keeps)
  })

  test.each([
    ['b[q].seg', 'the run has no "b[q].seg" to begin at', 'did you mean b[x].seg?'],
    ['b[x].sg', 'the run has no "b[x].sg" to begin at', 'did you mean b[x].seg?'],
    ['sge', 'pipeline test has no step "sge"', 'did you mean seg?'],
  ])('cannot begin at %s', (from, message, hint) => {
    const state = foldRecords(recordsOf(document(), night))
    expect(() => seedOf(document(), { runId: 'r1', state }, from)).toThrow(
      expect.objectContaining({ code: 'unknown-step', kind: 'usage', message, hint }),
    )
  })
})
