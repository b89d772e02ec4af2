import { expect, test } from 'vitest'
import { errorKey } from '../../src/core/error-key.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { effectsOf, type RecordEffects } from '../../src/state/record-effects.ts'

/** The effects of records that are recorded at 1, 2, … */
function effects(
  ...records: readonly (RunRecord & { answered?: boolean; unblocked?: string; partnerAnswered?: string })[]
): RecordEffects {
  const stored = records.map(({ answered, unblocked, partnerAnswered, ...record }, index) => ({
    ...{ seq: index, at: index + 1, answered, unblocked, partnerAnswered },
    // Without the fields that are not stored, this is the record.
    record: record as RunRecord,
  }))
  return effectsOf(stored, (text) => text.replace('secret', '***'))
}

const nothing = { failures: 0, failures_of: 0, error_step: null, error_message: null, error_key: '' }
const error = { code: 'c', kind: 'failed', message: 'the secret', step: 's' } as const
const KEY = errorKey({ ...error, message: 'the ***' })
const finished = { type: 'run.finished', status: 'succeeded' } as const
const waiting = { type: 'step.waiting', step: 's', reason: 'approval', error } as const
const measured = { type: 'guard.measured', step: 's', of: 'rows', value: 7, verdict: 'held', outputs: {} } as const
const row = { step: 's', place: -1, of: 'rows', item: null, value: 7, verdict: 'held' }
const decision = { type: 'decision.made', step: 's', decision: 'approved', by: 'ana' } as const
const blocked = { type: 'step.blocked', step: 's', index: 2, thing: 'a secret', by: { runId: 'r', step: 't' } } as const
const asks = {
  type: 'job.status',
  ...{ step: 's', jobId: '7', waitedMs: 0 },
  ...{ status: 'PENDING_APPROVAL', counterpart: 'partner secret' },
} as const
const seen = { status: null, began_at: null, finished_at: null, ...nothing }
const done = { type: 'step.finished', step: 's', status: 'succeeded' } as const

test.each<[string, RecordEffects, Partial<RecordEffects>]>([
  [
    'an admitted run has begun',
    effects({ type: 'run.admitted' }),
    { run: { status: 'running', began_at: 1, finished_at: null, ...nothing } },
  ],
  [
    'a run waits for a person',
    effects(waiting),
    { run: { status: 'waiting', began_at: 1, finished_at: null, ...nothing } },
  ],
  [
    'and goes on once it is answered',
    effects(waiting, { ...done, answered: true }),
    { run: { status: 'running', began_at: 1, finished_at: null, ...nothing } },
  ],
  ['a run has ended', effects(finished), { run: { status: 'succeeded', began_at: null, finished_at: 1, ...nothing } }],
  [
    'of one that was let in only to end it is known when it began',
    effects({ type: 'run.admitted' }, finished),
    { run: { status: 'succeeded', began_at: 1, finished_at: 2, ...nothing } },
  ],
  [
    'a run has failed',
    effects({ type: 'run.finished', status: 'failed', error }),
    {
      run: {
        status: 'failed',
        began_at: null,
        finished_at: 1,
        ...nothing,
        error_step: 's',
        error_message: 'the ***',
        error_key: KEY,
      },
    },
  ],
  [
    'a run succeeded in part',
    effects({ ...finished, failures: 1, failuresOf: 3 }),
    { run: { status: 'succeeded', began_at: null, finished_at: 1, ...nothing, failures: 1, failures_of: 3 } },
  ],
  [
    'the numbers among outputs',
    effects({ ...done, outputs: { rows: 3, big: 4n as never, name: 'x', list: [1] } }),
    {
      figures: new Map([
        [
          's',
          [
            ['rows', 3],
            ['big', 4],
          ],
        ],
      ]),
    },
  ],
  ['one number', effects({ ...done, outputs: { rows: 3 } }), { figures: new Map([['s', [['rows', 3]]]]) }],
  ['of a secret name', effects({ ...done, outputs: { 'a secret': 3 } }), { figures: new Map([['s', [['a ***', 3]]]]) }],
  ['not of an item', effects({ ...done, index: 0, outputs: { rows: 3 } }), {}],
  ['no numbers', effects({ ...done, outputs: { name: 'x' } }), {}],
  ['a guard measured', effects(measured), { guards: [row] }],
  [
    'of an item, by whose name later runs find it',
    effects({ ...measured, index: 4, item: 'secret' }),
    { guards: [{ ...row, place: 4, item: 'secret' }] },
  ],
  ['and was decided in the same append', effects(measured, decision), { guards: [{ ...row, verdict: 'approved' }] }],
  ['or in a later one', effects(decision), { decided: [{ step: 's', place: -1, verdict: 'approved' }] }],
  [
    'one that held nothing stays as it was',
    effects({ ...measured, verdict: 'good' }, decision),
    { guards: [{ ...row, verdict: 'good' }], decided: [{ step: 's', place: -1, verdict: 'approved' }] },
  ],
  [
    'a step waits for another one',
    effects(blocked),
    { blocked: [{ step: 's[2]', thing: 'a ***', by_run: 'r', by_key: 't' }] },
  ],
  ['and waits no longer', effects(blocked, { ...done, index: 2, unblocked: 's[2]' }), { unblocked: ['s[2]'] }],
  [
    'a job of a step waits for a partner: the status of the run stays',
    effects(asks),
    { run: seen, partnerWaits: [{ step: 's', counterpart: 'partner ***', since: 1 }] },
  ],
  ['which has answered', effects(asks, { ...done, partnerAnswered: 's' }), { run: seen, partnersAnswered: ['s'] }],
  [
    'or waits again',
    effects({ ...done, index: 2, unblocked: 's[2]' }, blocked),
    { blocked: [{ step: 's[2]', thing: 'a ***', by_run: 'r', by_key: 't' }] },
  ],
])('%s', (_, found, expected) => {
  const none = {
    run: undefined,
    figures: new Map(),
    guards: [],
    decided: [],
    blocked: [],
    unblocked: [],
    partnerWaits: [],
    partnersAnswered: [],
  }
  expect(found).toStrictEqual({ ...none, ...expected })
})
