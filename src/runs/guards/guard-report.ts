import type { ErrorReport } from '../../core/errors.ts'
import { count, formatNumber } from '../../core/format/figures.ts'
import type { Breach } from '../../core/guard.ts'
import type { Step } from '../../core/pipeline.ts'
import { type Measured, type StepRef, type StoredRecord, stepKey } from '../../core/run.ts'
import { approvalCommands } from '../approval-terms.ts'
import { describeSignature } from '../describe-signed.ts'
import type { RunFacts } from '../run-facts.ts'
import { foldRecords } from '../run-state.ts'
import { learnedAbout } from './learn.ts'

/** A value that exceeds a limit. */
type Breached = Measured & { readonly breach: Breach }

export function isBreached<T extends Measured>(measured: T): measured is T & Breached {
  return measured.breach !== undefined
}

/** The question to a person about a value, or the reason why the step failed. */
export function guardReport(facts: RunFacts, step: Step, ref: StepRef, measured: Breached): ErrorReport {
  const { verdict } = measured
  const key = stepKey(ref)
  const what = describeBreach(facts, step, measured)
  const report = { kind: 'failed', at: step.guard?.of.at } as const
  if (verdict === 'rejected' || verdict === 'failed') {
    const { signed = {} } = facts.state.steps.get(key) ?? {}
    const isRejected = verdict === 'rejected'
    const by = isRejected ? describeSignature(signed) : ''
    return {
      ...report,
      code: isRejected ? 'guard-rejected' : 'guard-breached',
      message: `step "${key}" was ${isRejected ? `not approved${by}` : 'stopped by its guard'}${by === '' ? ':' : ';'} ${what}`,
      hint: 'no later step ran; correct the data, or the guard, and start a new run',
    }
  }
  return {
    ...report,
    code: 'guard-held',
    message: what,
    hint: `\`${approvalCommands(facts.runId, key, {})[0]}\`, with --reject to say no`,
  }
}

/** The values of a run that exceeded a limit, in order, each with the problem and the name of its step or item. */
export function breachesIn(
  records: readonly StoredRecord[],
): readonly (Measured & { readonly name: string; readonly text: string })[] {
  const breached = records.flatMap(({ record }) =>
    record.type === 'guard.measured' && isBreached(record) ? [record] : [],
  )
  if (breached.length === 0) return []
  const state = foldRecords(records)
  return breached.map((record) => ({
    ...record,
    name: record.item === undefined || record.key !== undefined ? stepKey(record) : `${stepKey(record)} ${record.item}`,
    text: describeBreach({ state }, { id: record.step }, record),
  }))
}

/** `167 is outside 693 to 1,039, the band around 866 that was learned from 7 good runs (A to B)`. */
function describeBreach(
  { state }: Pick<RunFacts, 'state'>,
  { id }: Pick<Step, 'id'>,
  { value, breach, item }: Breached,
): string {
  if (breach.limit !== 'band')
    return `${formatNumber(value)} is ${breach.limit === 'min' ? 'less' : 'more'} than ${formatNumber(breach.at)}, the guard's ${breach.limit}`
  const { low, median, high } = breach
  const band = `${formatNumber(low)} to ${formatNumber(high)}, the band around ${formatNumber(median)}`
  const { runs = [] } = learnedAbout(state.guards, { step: id, item }) ?? {}
  return `${formatNumber(value)} is outside ${band} that was learned from ${runsText(runs)}`
}

/** `7 good runs, A to B`: the oldest first. */
function runsText(runs: readonly string[]): string {
  const [newest, oldest] = [runs[0], runs.at(-1)]
  if (runs.length === 0) return 'no run'
  return `${count(runs.length, 'good run')}, ${runs.length === 1 ? newest : `${oldest} to ${newest}`}`
}
