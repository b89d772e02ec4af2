import { stepKey } from '../../core/run.ts'
import type { NewRecord } from '../run-store.ts'

/** The place of a step that is not of a forEach. */
const NO_INDEX = -1

/** What the records of one append change in the tables beside `records`, by the names of their columns. */
export interface RecordEffects {
  readonly run?: RunChange
  /** The numbers among the outputs of steps that ended, by the name of the step. */
  readonly figures?: Readonly<Record<string, Numbers>>
  readonly guards: readonly {
    readonly step: string
    readonly place: number
    readonly of: string
    readonly item: string | null
    readonly value: number
    readonly verdict: string
  }[]
  /** The steps that wait for another one since these records, and those that wait no longer. */
  readonly blocked: readonly {
    readonly step: string
    readonly thing: string
    readonly by_run: string
    readonly by_key: string
  }[]
  readonly unblocked: readonly string[]
  readonly decided: readonly { readonly step: string; readonly place: number; readonly verdict: string }[]
}

type Numbers = Readonly<Record<string, number>>

interface RunChange {
  readonly status: string
  readonly began_at: number
  readonly finished_at: number | null
  readonly failures: number
  readonly failures_of: number
  readonly error_step: string | null
  readonly error_message: string | null
}

export function effectsOf(records: readonly NewRecord[]): RecordEffects {
  let run: RunChange | undefined
  let figures: Record<string, Numbers> | undefined
  const guards = new Map<string, RecordEffects['guards'][number]>()
  const decided: RecordEffects['decided'][number][] = []
  const blocked = new Map<string, RecordEffects['blocked'][number] | undefined>()
  for (const { at, record, answered, unblocked } of records) {
    if (unblocked !== undefined) blocked.set(unblocked, undefined)
    if (answered) run = underWay('running', at)
    switch (record.type) {
      case 'decision.made': {
        const { step, index: place = NO_INDEX, decision: verdict } = record
        // One statement does not see what it inserts.
        const held = guards.get(`${step} ${place}`)
        if (held?.verdict === 'held') guards.set(`${step} ${place}`, { ...held, verdict })
        else decided.push({ step, place, verdict })
        break
      }
      case 'run.admitted':
        run = underWay('running', at)
        break
      case 'step.blocked': {
        const { thing, by } = record
        const step = stepKey(record)
        blocked.set(step, { step, thing, by_run: by.runId, by_key: by.step })
        break
      }
      case 'step.waiting':
        run = underWay('waiting', at)
        break
      case 'guard.measured': {
        const { step, index: place = NO_INDEX, of, item = null, value, verdict } = record
        guards.set(`${step} ${place}`, { step, place, of, item, value, verdict })
        break
      }
      case 'step.finished': {
        const numbers = record.index === undefined ? numbersIn(record.outputs) : []
        if (numbers.length > 0) figures = { ...figures, [record.step]: Object.fromEntries(numbers) }
        break
      }
      case 'run.finished': {
        const { status, failures = 0, failuresOf = 0, error } = record
        const why = { error_step: error?.step ?? null, error_message: error?.message ?? null }
        run = { ...underWay(status, at), finished_at: at, failures, failures_of: failuresOf, ...why }
      }
    }
  }
  return { ...(run && { run }), ...(figures && { figures }), guards: [...guards.values()], decided, ...ended(blocked) }
}

function ended(blocked: ReadonlyMap<string, RecordEffects['blocked'][number] | undefined>) {
  const entries = [...blocked]
  return {
    blocked: entries.flatMap(([, entry]) => entry ?? []),
    unblocked: entries.flatMap(([step, entry]) => (entry ? [] : [step])),
  }
}

function underWay(status: string, at: number): RunChange {
  const nothing = { failures: 0, failures_of: 0, error_step: null, error_message: null }
  return { status, began_at: at, finished_at: null, ...nothing }
}

/** The numbers among the outputs of a step, by name. */
function numbersIn(outputs: unknown): [string, number][] {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return []
  return Object.entries(outputs).flatMap(([name, value]) =>
    typeof value === 'number' || typeof value === 'bigint' ? [[name, Number(value)]] : [],
  )
}
