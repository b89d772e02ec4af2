import { NO_SECRETS } from '../core/create-sealing.ts'
import { errorKey } from '../core/error-key.ts'
import { asksPartner, stepKey } from '../core/run.ts'
import type { Redact } from '../core/secrets.ts'
import type { NewRecord } from './run-store.ts'

/** The index of a step that is not an item of a forEach. */
const NO_INDEX = -1

/**
 * The changes that the records of one append cause in other tables. The fields of a row have the names of its columns.
 */
export interface RecordEffects {
  readonly run: RunChange | undefined
  /** The numbers in the outputs of steps that ended, by the name of the step. */
  readonly figures: ReadonlyMap<string, Numbers>
  readonly guards: readonly GuardRow[]
  /**
   * From these records on, the steps in `blocked` are waiting for another step, and the steps in `unblocked` are no
   * longer waiting.
   */
  readonly blocked: readonly BlockedRow[]
  readonly unblocked: readonly string[]
  /**
   * After these records, the steps in `partnerWaits` wait for a partner; some may have waited before. The steps in
   * `partnersAnswered` are no longer waiting.
   */
  readonly partnerWaits: readonly PartnerWaitRow[]
  readonly partnersAnswered: readonly string[]
  readonly decided: readonly { readonly step: string; readonly place: number; readonly verdict: string }[]
}

/** Pairs of a name and a number. */
type Numbers = readonly (readonly [string, number])[]

interface GuardRow {
  readonly step: string
  readonly place: number
  readonly of: string
  readonly item: string | null
  readonly value: number
  readonly verdict: string
}

interface BlockedRow {
  readonly step: string
  readonly thing: string
  readonly by_run: string
  readonly by_key: string
}

/** `counterpart` is '' if it is not known. */
interface PartnerWaitRow {
  readonly step: string
  readonly counterpart: string
  readonly since: number
}

export interface RunChange {
  /** Null if the status did not change, but something else that lists show did. */
  readonly status: string | null
  /** When the run left its queue; null if it left before. */
  readonly began_at: number | null
  readonly finished_at: number | null
  readonly failures: number
  readonly failures_of: number
  readonly error_step: string | null
  readonly error_message: string | null
  /** A key that is the same for all failures of one kind; '' if the run did not fail. */
  readonly error_key: string
}

/** The run itself did not change, but something that lists show with it did. */
const SEEN: RunChange = underWay(null, null)
const NONE: readonly never[] = []
const NO_NUMBERS: ReadonlyMap<string, Numbers> = new Map()

/** Finds the effects of records. `redact` removes secrets from text. */
export function effectsOf(records: readonly NewRecord[], redact: Redact): RecordEffects {
  let run: RunChange | undefined
  let figures: Map<string, Numbers> | undefined
  let guards: Map<string, GuardRow> | undefined
  let decided: RecordEffects['decided'][number][] | undefined
  let blocked: Map<string, BlockedRow | undefined> | undefined
  let partners: Map<string, PartnerWaitRow | undefined> | undefined
  for (const { at, record, answered, unblocked, partnerAnswered, sealing } of records) {
    if (unblocked !== undefined) blocked = (blocked ?? new Map()).set(unblocked, undefined)
    if (partnerAnswered !== undefined) {
      partners = (partners ?? new Map()).set(partnerAnswered, undefined)
      run ??= SEEN
    }
    if (answered) run = underWay('running', run?.began_at ?? at)
    switch (record.type) {
      case 'decision.made': {
        const { step, index: place = NO_INDEX, decision: verdict } = record
        // An SQL statement does not see the rows that it inserts, so change the row here.
        const held = guards?.get(`${step} ${place}`)
        if (held?.verdict === 'held') guards?.set(`${step} ${place}`, { ...held, verdict })
        else decided = [...(decided ?? NONE), { step, place, verdict }]
        break
      }
      case 'run.admitted':
        run = underWay('running', run?.began_at ?? at)
        break
      case 'step.blocked': {
        const { thing, by } = record
        const step = stepKey(record)
        const row = { step, thing: redact(thing), by_run: by.runId, by_key: by.step }
        blocked = (blocked ?? new Map()).set(step, row)
        break
      }
      case 'job.status': {
        if (!asksPartner(record)) break
        const step = stepKey(record)
        partners = (partners ?? new Map()).set(step, { step, counterpart: redact(record.counterpart ?? ''), since: at })
        run ??= SEEN
        break
      }
      case 'step.waiting':
        run = underWay('waiting', run?.began_at ?? at)
        break
      case 'guard.measured': {
        const { step, index: place = NO_INDEX, of, item, value, verdict } = record
        const row = { step, place, of, item: item === undefined ? null : shown(item, sealing), value, verdict }
        guards = (guards ?? new Map()).set(`${step} ${place}`, row)
        break
      }
      case 'step.finished': {
        const numbers = record.index === undefined ? numbersIn(record.outputs, redact) : NONE
        if (numbers.length > 0) figures = (figures ?? new Map()).set(record.step, numbers)
        break
      }
      case 'run.finished': {
        const { status, failures = 0, failuresOf = 0, error } = record
        const message = error && redact(error.message)
        run = {
          ...{ status, began_at: run?.began_at ?? null, finished_at: at, failures, failures_of: failuresOf },
          error_step: error?.step ?? null,
          error_message: message ?? null,
          error_key: error && message !== undefined ? errorKey({ ...error, message }) : '',
        }
      }
    }
  }
  return {
    run,
    figures: figures ?? NO_NUMBERS,
    guards: guards ? [...guards.values()] : NONE,
    decided: decided ?? NONE,
    blocked: blocked ? [...blocked.values()].filter((row) => row !== undefined) : NONE,
    partnerWaits: partners ? [...partners.values()].filter((row) => row !== undefined) : NONE,
    partnersAnswered: partners ? [...partners].flatMap(([step, row]) => (row ? [] : [step])) : NONE,
    unblocked: blocked ? [...blocked].flatMap(([step, row]) => (row ? [] : [step])) : NONE,
  }
}

function underWay(status: string | null, began_at: number | null): RunChange {
  return {
    ...{ status, began_at, finished_at: null, failures: 0, failures_of: 0 },
    ...{ error_step: null, error_message: null, error_key: '' },
  }
}

/**
 * A later run finds the values of an item by the item's name, so the secrets of other documents must not change the
 * name.
 */
function shown(item: string, sealing = NO_SECRETS): string {
  return NO_SECRETS.open(sealing.seal(item))
}

/** The numbers in the outputs of a step, by name. A service may have chosen the name, so secrets are removed. */
function numbersIn(outputs: unknown, redact: Redact): Numbers {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return NONE
  const numbers: [string, number][] = []
  for (const [name, value] of Object.entries(outputs))
    if (typeof value === 'number' || typeof value === 'bigint') numbers.push([redact(name), Number(value)])
  return numbers
}
