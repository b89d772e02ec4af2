import { describe, expect, test } from 'vitest'
import type { ApprovalTerms } from '../../src/core/approval.ts'
import type { GuardVerdict } from '../../src/core/guard.ts'
import type { Pipeline, Step } from '../../src/core/pipeline.ts'
import type { KeptExecution, RunRecord, SettledStatus } from '../../src/core/run.ts'
import { decide } from '../../src/runs/decide.ts'
import { expression, pipeline, step, template } from '../support/pipelines.ts'
import { brief, factsOf } from '../support/run-facts.ts'

const started = (id: string, attempt = 1): RunRecord => ({ type: 'step.started', step: id, attempt })
const ended = (id: string, status: SettledStatus = 'succeeded'): RunRecord => ({
  type: 'step.finished',
  step: id,
  status,
  outputs: {},
})
const error = { code: 'x', kind: 'failed', message: 'broken' } as const
const failed = (id: string): RunRecord => ({ type: 'step.finished', step: id, status: 'failed', error })
const waits = (id: string, reason: 'approval' | 'decision', terms: ApprovalTerms = {}): RunRecord => ({
  type: 'step.waiting',
  step: id,
  reason,
  error,
  ...terms,
})
const cancel: RunRecord = { type: 'cancel.requested' }

const chain = [step('a'), step('b', { needs: ['a'] })]
const tidy: Partial<Pipeline> = { onFailure: [step('tell')], finally: [step('tidy')] }

const half: Pipeline['variables'] = { half: { value: template('${{ 0.5 * 4.0 }}'), schema: { type: 'number' } } }
const broken: Pipeline['variables'] = { broken: { value: template('${{ inputs.nowhere }}'), schema: {} } }

/** One row: a pipeline, its records, the time in ms, and the decision. */
type Row = [says: string, document: Pipeline, records: readonly RunRecord[], decided: readonly string[], now?: number]

const whole = (steps: readonly Step[], own: Partial<Pipeline> = {}) => pipeline(steps, own)

describe('a run', () => {
  test.each<Row>([
    ['starts what needs nothing', whole([step('a'), step('b')]), [], ['start a#1', 'start b#1']],
    ['waits for needs', whole(chain), [started('a')], ['start a#1']],
    ['goes on after a step', whole(chain), [started('a'), ended('a')], ['start b#1']],
    ['ends after the last step', whole(chain), [ended('a'), ended('b')], ['run.finished succeeded']],
    ['does nothing after its end', whole(chain), [{ type: 'run.finished', status: 'failed' }], []],
    ['skips what needs a failed step', whole(chain), [failed('a')], ['step.finished b skipped']],
    ['fails with a step', whole(chain), [failed('a'), ended('b', 'skipped')], ['run.finished failed']],
    ['tells of a failure first', whole(chain, tidy), [failed('a'), ended('b', 'skipped')], ['start tell#1']],
    ['tidies up after that', whole(chain, tidy), [failed('a'), ended('b', 'skipped'), ended('tell')], ['start tidy#1']],
    [
      'ends a step of onFailure that had begun when it is cancelled',
      whole(chain, tidy),
      [failed('a'), ended('b', 'skipped'), started('tell'), waits('tell', 'approval'), cancel],
      ['step.finished tell cancelled'],
    ],
    [
      'begins no step of onFailure once it is cancelled',
      whole(chain, tidy),
      [failed('a'), ended('b', 'skipped'), cancel],
      ['start tidy#1'],
    ],
    ['tidies up without a failure', whole(chain, tidy), [ended('a'), ended('b')], ['start tidy#1']],
    ['fails with a step of finally', whole([], tidy), [failed('tidy')], ['run.finished failed']],
    [
      'fails where its outputs cannot be told',
      whole([], { outputs: { x: template('${{ inputs.nowhere }}') } }),
      [],
      ['run.finished failed'],
    ],
    ['computes variables first', whole([step('a')], { variables: half }), [], ['variables.set']],
    [
      'computes them once',
      whole([step('a')], { variables: half }),
      [{ type: 'variables.set', variables: {} }],
      ['start a#1'],
    ],
    ['fails where they cannot be computed', whole([step('a')], { variables: broken }), [], ['run.finished failed']],
    ['computes none when cancelled', whole([step('a')], { variables: half }), [cancel], ['step.finished a cancelled']],
    [
      'ends what is open when cancelled',
      whole(chain, tidy),
      [started('a'), cancel],
      ['step.finished a cancelled', 'step.finished b cancelled'],
    ],
    [
      'tidies up when cancelled, and tells nobody',
      whole(chain, tidy),
      [cancel, ended('a', 'cancelled'), ended('b', 'cancelled')],
      ['start tidy#1'],
    ],
    [
      'is cancelled at the end',
      whole(chain),
      [cancel, ended('a', 'cancelled'), ended('b', 'cancelled')],
      ['run.finished cancelled'],
    ],
  ])('%s', (_says, document, records, decided) => {
    expect(brief(decide(factsOf(document, records), 60_000))).toEqual(decided)
  })

  test('the error of a run is that of the step that failed first', () => {
    const document = pipeline([step('a', { needs: [] }), step('b', { needs: [] })])
    expect(decide(factsOf(document, [failed('b'), failed('a')]), 0).records).toMatchObject([
      { type: 'run.finished', error: { message: 'broken', step: 'b' } },
    ])
  })
})

describe('the `if` of a step after a failure', () => {
  const after = (condition: string) => whole([step('a'), step('b', { needs: ['a'], if: expression(condition) })])
  test.each([
    ['failure()', 'start b#1'],
    ['true || failure ()', 'start b#1'],
    ['success()', 'step.finished b skipped'],
    ['!success()', 'start b#1'],
    ['true', 'step.finished b skipped'],
    ['"failure (of last night)" != ""', 'step.finished b skipped'],
    ['"success()" != ""', 'step.finished b skipped'],
    ['1 / 0 == 1 || failure()', 'start b#1'],
    ['1 / 0 == 1 && success()', 'step.finished b skipped'],
    ['failure() && inputs.nowhere', 'step.finished b failed'],
  ])('%s', (condition, decided) => {
    expect(brief(decide(factsOf(after(condition), [failed('a')]), 0))).toEqual([decided])
  })
})

describe('an attempt', () => {
  const again: RunRecord = { type: 'attempt.failed', step: 'a', attempt: 1, error, retryAt: 9000 }
  const slow = [step('a', { timeoutMs: 5000 })]
  test.each<Row>([
    ['waits for its time', whole([step('a')]), [started('a'), again], ['wake at 9000'], 8999],
    ['is made at its time', whole([step('a')]), [started('a'), again], ['start a#2'], 9000],
    ['stays the same after a restart', whole([step('a')]), [started('a', 3)], ['start a#3']],
    ['waits for a person for ever', whole([step('a')]), [started('a'), waits('a', 'approval')], []],
    [
      'waits for a person until its time is over',
      whole(slow),
      [started('a'), waits('a', 'approval')],
      ['wake at 6000'],
      5999,
    ],
    [
      'waits as long as its approval may take, whatever its own time',
      whole([step('a')]),
      [started('a'), waits('a', 'approval', { timeoutMs: 5000 })],
      ['wake at 7000'],
      6999,
    ],
    [
      'fails when the time of its approval is over',
      whole([step('a')]),
      [started('a'), waits('a', 'approval', { timeoutMs: 5000 })],
      ['step.finished a failed'],
      7000,
    ],
    ['fails without a person', whole(slow), [started('a'), waits('a', 'approval')], ['step.finished a failed'], 6000],
    [
      'fails with its run',
      whole([step('a')], { timeoutMs: 3000 }),
      [started('a'), waits('a', 'decision')],
      ['step.finished a failed'],
      3000,
    ],
    [
      'goes on when a write was done',
      whole([step('a')]),
      [started('a'), waits('a', 'decision'), { type: 'decision.made', step: 'a', decision: 'done' }],
      ['start a#1'],
    ],
    [
      'is made afresh when a write is to be made again',
      whole([step('a')]),
      [started('a'), waits('a', 'decision'), { type: 'decision.made', step: 'a', decision: 'again' }],
      ['start a#2'],
    ],
  ])('%s', (_says, document, records, decided, now = 0) => {
    expect(brief(decide(factsOf(document, records), now))).toEqual(decided)
  })
})

describe('a step that its guard', () => {
  const guard = { of: expression('outputs.n'), learn: false, min: template(5), onBreach: 'approve' } as const
  const guarded = whole([step('a', { guard, timeoutMs: 1000 }), step('b', { needs: ['a'] })], { timeoutMs: 90_000 })
  const measured = (verdict: GuardVerdict, own: object = {}): RunRecord => ({
    ...{ type: 'guard.measured', step: 'a', of: 'x', value: 1, verdict, breach: { limit: 'min', at: 5 } },
    ...own,
  })
  const held = [started('a'), measured('held', { outputs: { n: 1 } })]
  const decided = (decision: 'approved' | 'rejected'): RunRecord => ({ type: 'decision.made', step: 'a', decision })
  test.each<Row>([
    ['holds waits for a person', guarded, held, ['step.waiting a']],
    ['holds has no timeout but that of the run', guarded, [...held, waits('a', 'approval')], ['wake at 90000'], 60_000],
    ['holds fails with its run', guarded, [...held, waits('a', 'approval')], ['step.finished a failed'], 90_000],
    [
      'held ends as it was, when a person approved it',
      guarded,
      [...held, waits('a', 'approval'), decided('approved')],
      ['step.finished a succeeded'],
    ],
    [
      'held fails, when a person did not',
      guarded,
      [...held, waits('a', 'approval'), decided('rejected')],
      ['step.finished a failed'],
    ],
    ['fails has failed', guarded, [started('a'), measured('failed')], ['step.finished a failed']],
    ['lets go on with a warning does its work', guarded, [started('a'), measured('warned')], ['start a#1']],
    [
      'holds ends with a cancelled run',
      guarded,
      [...held, waits('a', 'approval'), cancel],
      ['step.finished a cancelled', 'step.finished b cancelled'],
    ],
    ['judged in an earlier run is not judged again', guarded, [], ['guard.measured a', 'step.finished a succeeded']],
  ])('%s', (says, document, records, expected, now = 0) => {
    const guards = [{ step: 'a', of: 'x', value: 1, verdict: 'approved' } as const]
    const kept: KeptExecution[] = says.includes('earlier') ? [{ step: 'a', from: 'r0', outputs: {}, guards }] : []
    expect(brief(decide(factsOf(document, records, { seed: { runId: 'r0', kept } }), now))).toEqual(expected)
  })

  test('held ends with the outputs that were judged', () => {
    expect(decide(factsOf(guarded, [...held, decided('approved')]), 0).records).toMatchObject([{ outputs: { n: 1 } }])
  })
})

describe('a forEach', () => {
  const each = (own: Partial<Step> = {}, maxParallel = 2) =>
    whole([step('e', { forEach: { items: template(['x', 'y', 'z']), as: 'item', maxParallel }, ...own })])
  const expanded: RunRecord = { type: 'step.expanded', step: 'e', items: ['x', 'y', 'z'] }
  const at = (index: number, status?: SettledStatus): RunRecord =>
    status
      ? {
          type: 'step.finished',
          step: 'e',
          index,
          status,
          ...(status === 'failed' ? { error } : { outputs: { index } }),
        }
      : { type: 'step.started', step: 'e', index, attempt: 1 }
  const all = [expanded, at(0, 'succeeded'), at(1, 'failed'), at(2, 'succeeded')]
  test.each<Row>([
    ['takes down its items first', each(), [], ['step.expanded e']],
    ['starts as many as may be', each(), [expanded], ['start e[0]#1 x', 'start e[1]#1 y']],
    [
      'goes on with what is open and adds one',
      each(),
      [expanded, at(0, 'succeeded'), at(1)],
      ['start e[1]#1 y', 'start e[2]#1 z'],
    ],
    [
      'begins nothing after a failure, and lets the open end',
      each(),
      [expanded, at(0), at(1, 'failed')],
      ['start e[0]#1 x'],
    ],
    ['fails then', each({}, 1), [expanded, at(0, 'failed')], ['step.finished e failed']],
    [
      'does them all where failures are allowed',
      each({ continueOnError: true }, 1),
      [expanded, at(0, 'failed')],
      ['start e[1]#1 y'],
    ],
    ['fails at the end then', each({ continueOnError: true }), all, ['step.finished e failed']],
    [
      'ends its items when cancelled',
      each(),
      [expanded, at(0, 'succeeded'), at(1), cancel],
      ['step.finished e[1] cancelled', 'step.finished e cancelled'],
    ],
    [
      'wants a list',
      each({ forEach: { items: template('${{ 1 }}'), as: 'item', maxParallel: 1 } }),
      [],
      ['step.finished e failed'],
    ],
  ])('%s', (_says, document, records, decided) => {
    expect(brief(decide(factsOf(document, records), 0))).toEqual(decided)
  })

  test('gives its outputs in the order of the items', () => {
    const records = [expanded, at(2, 'succeeded'), at(0, 'succeeded'), at(1, 'succeeded')]
    expect(decide(factsOf(each(), records), 0).records).toMatchObject([
      { type: 'step.finished', status: 'succeeded', outputs: [{ index: 0 }, { index: 1 }, { index: 2 }] },
    ])
  })

  describe('of a rerun', () => {
    const kept = (index: number, item: string): KeptExecution => ({
      step: 'e',
      index,
      item,
      from: 'r0',
      outputs: { index },
    })
    test.each<
      readonly [says: string, kept: readonly KeptExecution[], records: readonly RunRecord[], decided: readonly string[]]
    >([
      [
        'takes over what was done, before anything starts',
        [kept(0, 'x'), kept(2, 'z')],
        [expanded],
        ['step.finished e[0] succeeded', 'step.finished e[2] succeeded'],
      ],
      ['takes over once', [kept(0, 'x')], [expanded, at(0, 'succeeded')], ['start e[1]#1 y', 'start e[2]#1 z']],
      ['does what has moved', [kept(0, 'y'), kept(1, 'x')], [expanded], ['start e[0]#1 x', 'start e[1]#1 y']],
      ['does what has changed', [kept(0, 'X')], [expanded], ['start e[0]#1 x', 'start e[1]#1 y']],
      [
        'does what only started a run',
        [{ step: 'e', index: 0, from: 'r0', child: 'c' }],
        [expanded],
        ['start e[0]#1 x', 'start e[1]#1 y'],
      ],
      ['takes over a whole step', [{ step: 'e', from: 'r0', outputs: [] }], [], ['step.finished e succeeded']],
    ])('%s', (_says, keeps, records, decided) => {
      expect(brief(decide(factsOf(each(), records, { seed: { runId: 'r0', kept: keeps } }), 0))).toEqual(decided)
    })
  })
})

test('a step may be called as what every object has', () => {
  const document = pipeline([step('constructor'), step('toString')])
  expect(brief(decide(factsOf(document, [], { seed: { runId: 'r0', kept: [] } }), 0))).toEqual([
    'start constructor#1',
    'start toString#1',
  ])
})
