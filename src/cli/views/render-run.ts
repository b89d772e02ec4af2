import { elapsedMs } from '../../core/duration.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import { changeText, formatNumber } from '../../core/format/figures.ts'
import { partnerText } from '../../core/format/partner-text.ts'
import { startText } from '../../core/format/start-text.ts'
import { isJsonObject, stringifyJson } from '../../core/json.ts'
import { stepKey } from '../../core/run.ts'
import { describeService, syntheticNote } from '../../core/service-ref.ts'
import type { RunDescription, StepDescription } from '../../runs/describe-run.ts'
import { describeDecision, describeSent, describeSignature } from '../../runs/describe-signed.ts'
import { describeBlocked } from '../../runs/describe-waits.ts'
import type { ForDecision } from '../../runs/for-decision.ts'
import { describeGuard, type GuardDescription } from '../../runs/guards/describe-guard.ts'
import { labelOfTrigger } from '../../state/trigger-label.ts'
import type { PersonWanted, StepBlocked } from '../../status/status-report.ts'
import { describeFailures } from './describe-failures.ts'
import { describeIdle } from './describe-idle.ts'
import { inputLines } from './describe-inputs.ts'
import { describeItems, type ItemsOutcome, itemName } from './describe-items.ts'
import { describeOutputs } from './describe-outputs.ts'
import { describeTook } from './describe-took.ts'
import { OUTCOME_COLOURS } from './outcomes.ts'
import { renderReport } from './render-error.ts'
import type { Style } from './style.ts'
import { writeTime } from './write-time.ts'

const LABEL_WIDTH = 12

/**
 * A run, with the waiting steps that need a person: the steps of the run itself, and the steps of the runs that it
 * started.
 */
export interface RunShown extends RunDescription, Partial<ForDecision> {
  readonly needsYou: readonly PersonWanted[]
  /** Its steps that are waiting for another step. */
  readonly blocked: readonly StepBlocked[]
}

/** A run for people: what started it, with what inputs, how it went, and its steps as a timeline. */
export function renderRun(run: RunShown, now: number, style: Style): string[] {
  const fact = (label: string, text: string | undefined) =>
    text === undefined || text === '' ? [] : [`${style('bold', label.padEnd(LABEL_WIDTH))}${text}`]
  const { git, cancelled, error, outputs = {} } = run
  const facts = (label: string, lines: readonly string[]) =>
    lines.flatMap((line, place) => fact(place === 0 ? label : '', line))
  return [
    `${style('bold', run.runId)}  ${style(colourOf(run), run.status)}${describeFailures(run)}${run.partnerWaits ? `, ${partnerText(run.partnerWaits)}` : ''}  ${run.pipeline} (${run.file})`,
    ...fact('started', `${writeTime(Date.parse(run.submittedAt))}, ${startOf(run)}`),
    ...fact(run.finishedAt === undefined ? 'so far' : 'ended', endOf(run, now)),
    ...fact('seen', run.acknowledged && actOf(run.acknowledged)),
    ...fact('cancelled', cancelled && actOf(cancelled)),
    ...fact('next', againOf(run)),
    ...facts('inputs', inputLines(run.inputs)),
    ...facts('variables', inputLines(run.variables ?? {})),
    ...fact('seeded', run.seededFrom && `what succeeded in ${run.seededFrom} was not done again`),
    ...fact('last', run.lastRun && `the last good run before it was ${run.lastRun}`),
    ...run.steps.flatMap((step) =>
      fact('decided', step.sent && `${stepKey(step)} ${describeSent(step.sent)}: audience runs resume ${run.runId}`),
    ),
    ...facts('after', comesAfter(run)),
    // The waits of the run's own steps are shown beside the steps.
    ...facts('needs you', run.needsYou.filter(({ runId }) => runId !== run.runId).flatMap(wantedLines)),
    ...facts('then', (run.followedBy ?? []).map(thenLine)),
    ...facts('beside', run.followedBy ? besideLines(run.lastGood) : []),
    ...facts('waits', run.blocked.flatMap(blockedLines)),
    ...fact('service', `${describeService(run)}${syntheticNote(run)}`),
    ...fact('commit', git && `${git.commit}${git.dirty ? ', but the document differed from it' : ''}`),
    '',
    ...stepLines(run, style),
    ...(error ? ['', ...renderReport(error, style)] : []),
    ...Object.entries(outputs).map(
      ([name, value]) => `  ${name}: ${typeof value === 'string' ? value : stringifyJson(value)}`,
    ),
  ]
}

/** Partial success, and a wait for a partner, need attention. */
function colourOf(of: Pick<StepDescription, 'status' | 'partnerWaits'> | RunDescription) {
  return ('failures' in of && of.failures) || of.partnerWaits ? 'yellow' : OUTCOME_COLOURS[of.status]
}

/** The command that repeats the run. The file of a failed run was moved to `failed`, so a retry would not find it. */
function againOf({ runId, status, trigger }: RunDescription): string | undefined {
  if (status !== 'failed' && status !== 'cancelled') return undefined
  return trigger.kind === 'watch' ? `audience files drop-again ${runId}` : `audience runs retry ${runId}`
}

function startOf({ trigger, startedBy, seededFrom, submittedAt }: RunDescription): string {
  const of = { triggerKind: String(trigger.kind), triggerLabel: labelOfTrigger(trigger) }
  return startText({ ...of, startedBy, seededFrom, submittedAt: Date.parse(submittedAt) })
}

/** The ended runs after which a trigger started this run. */
function comesAfter({ trigger: { kind, runs } }: RunDescription): string[] {
  if (kind !== 'after' || !isJsonObject(runs)) return []
  return Object.entries(runs).map(
    ([pipeline, ended]) => `${pipeline}: run ${isJsonObject(ended) ? String(ended.runId) : ''}`,
  )
}

function blockedLines({ step, message, commands }: StepBlocked): string[] {
  return [`${step} ${message}`, ...commands.map((command) => `  ${command}`)]
}

function wantedLines(wanted: PersonWanted): string[] {
  const { runId, sent, message, commands } = wanted
  return [
    `run ${runId}, step ${stepKey(wanted)}: ${sent ? describeSent(sent) : message}`,
    ...commands.map((command) => `  ${command}`),
  ]
}

function thenLine({ step, block, steps }: ForDecision['followedBy'][number]): string {
  const after = `after ${block === undefined ? step : `${block}.${step}`}`
  return steps.length === 0 ? `no step comes ${after}` : `${after}: ${steps.join(', ')}`
}

/** The figures of a run that is waiting for a person, beside the figures of the last good run. */
function besideLines(lastGood: ForDecision['lastGood']): string[] {
  if (!lastGood) return ['there is no good run before it to compare with']
  const { runId, figures } = lastGood
  const numberOf = (value: number | undefined) => (value === undefined ? 'none' : formatNumber(value))
  return [
    `the last good run ${runId}`,
    ...figures.map(({ step, name, lastGood: before, thisRun }) => {
      const change = changeText(before, thisRun)
      return `  ${step}.${name} ${numberOf(thisRun)}, in that run ${numberOf(before)}${change === '' ? '' : ` (${change})`}`
    }),
  ]
}

function endOf(run: RunDescription, now: number): string {
  const { submittedAt, beganAt = submittedAt, finishedAt, owner } = run
  const took = formatDuration(elapsedMs(Date.parse(beganAt), finishedAt === undefined ? now : Date.parse(finishedAt)))
  if (finishedAt !== undefined) return `${writeTime(Date.parse(finishedAt))}, after ${took}`
  if (owner !== undefined) return `${took}, ${owner} is working on it`
  const command = run.status === 'running' && run.queuedFor === undefined ? `: audience runs resume ${run.runId}` : ''
  return `${took}, ${describeIdle(run)}${command}`
}

function actOf({ at, ...signed }: NonNullable<RunDescription['cancelled']>): string {
  return `${writeTime(Date.parse(at))}${describeSignature(signed)}`
}

/** The steps in order, with the items of a forEach below it. */
function stepLines({ runId, steps, submittedAt }: RunDescription, style: Style): string[] {
  const of = { runId, start: Date.parse(submittedAt), style }
  return steps
    .filter(({ index }) => index === undefined)
    .flatMap((step) => {
      const items = steps.filter(({ index, block, step: id }) => index !== undefined && !block && id === step.step)
      const isLong = items.length > MOST_ITEMS_IN_FULL
      const within = (item: StepDescription) =>
        isLong && item.status === 'succeeded' ? [] : steps.filter((one) => isWithin(one, item))
      return [
        ...linesOf(step, of, itemsOutcome(step, items)),
        ...items.flatMap((item) => [item, ...within(item)].flatMap((one) => linesOf(one, of))),
      ]
    })
}

/** With more items than this, the steps of successful items are left out. */
const MOST_ITEMS_IN_FULL = 20

function isWithin({ block, index }: StepDescription, item: StepDescription): boolean {
  return block === item.step && index === item.index
}

function itemsOutcome({ items }: StepDescription, all: readonly StepDescription[]): ItemsOutcome | undefined {
  if (items === undefined) return undefined
  const named = (status: StepDescription['status']) => all.filter((item) => item.status === status)
  return {
    total: items,
    succeeded: named('succeeded').length,
    failed: named('failed').map(itemName),
  }
}

function linesOf(
  step: StepDescription,
  { runId, start, style }: { runId: string; start: number; style: Style },
  items?: ItemsOutcome,
): string[] {
  const indent = step.index === undefined ? '' : step.block === undefined ? '  ' : '    '
  const name = `${indent}${stepKey(step)}${step.label === undefined ? '' : ` ${step.label}`}`
  const failures = items && items.failed.length > 0 ? items.failed.length : undefined
  const facts = [
    style(colourOf({ ...step, failures }), step.status),
    step.partnerWaits && partnerText(step.partnerWaits),
    describeTook(step),
    items ? describeItems(items) : describeOutputs(step.outputs),
    step.guard && describeGuard(step.guard),
  ]
  const offset = (at: string) => style('dim', `+${formatDuration(elapsedMs(start, Date.parse(at)))}`.padStart(12))
  return [
    `${offset(step.startedAt)}  ${name}  ${facts.filter(Boolean).join(', ')}`,
    ...step.attempts.slice(1).map(({ attempt, startedAt }) => `${offset(startedAt)}    ${indent}attempt ${attempt}`),
    ...step.jobs.map(({ jobId, status, at }) => `${offset(at)}    ${indent}job ${jobId} ${status}`),
    ...(step.blocked ? [`${' '.repeat(14)}${indent}${describeBlocked({ runId, ...step.blocked })}`] : []),
    ...step.decisions.map((decision) => `${offset(decision.at)}    ${indent}${describeDecision(decision, writeTime)}`),
    ...(step.guard?.breach?.limit === 'band' ? [learnedLine(step.guard)] : []),
    // A wait is no longer shown once it is decided. A forEach repeats the error of its first failed item, and an item
    // repeats the error of its step, which is shown below.
    ...(step.error && !step.sent && step.error.step === undefined && !(items && items.failed.length > 0)
      ? renderReport(step.error, style).map((line) => `${' '.repeat(14)}${line}`)
      : []),
  ]
}

/** The runs from whose values a guard learned its limits. */
function learnedLine({ learnedFrom = [] }: GuardDescription): string {
  return `${' '.repeat(14)}the guard learned from ${learnedFrom.join(', ')}`
}
