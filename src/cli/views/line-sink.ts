import type { SteadyClock, Timer } from '../../core/clock.ts'
import { formatDuration, formatRoughDuration } from '../../core/format/duration-text.ts'
import { formatBytes } from '../../core/format/figures.ts'
import { partnerText } from '../../core/format/partner-text.ts'
import { printableData } from '../../core/printable.ts'
import { asksPartner, type StepRef, stepKey, WAITS_FOR } from '../../core/run.ts'
import type { RunEvent } from '../../core/run-event.ts'
import { describeDecision } from '../../runs/describe-signed.ts'
import { describeBlocked, describeLook, describeQueued } from '../../runs/describe-waits.ts'
import { describeGuard } from '../../runs/guards/describe-guard.ts'
import type { StepBlocked } from '../../status/status-report.ts'
import { createItemTracker, describeItems } from './describe-items.ts'
import { describeOutputs } from './describe-outputs.ts'
import { describeTook } from './describe-took.ts'
import type { EventSink, LeftRun, OpenWait, WaitingEvent } from './event-sink.ts'
import { renderReport } from './render-error.ts'
import { type Style, styleFor } from './style.ts'
import { summaryLines } from './summary.ts'
import { writeTime } from './write-time.ts'

/** How often a run says that it is still waiting for a person. */
const REMIND_EVERY_MS = 60_000
/** The shortest time between two lines about the same upload. */
const PROGRESS_EVERY_MS = 5000

/** One plain line per fact, for output without a terminal. Facts before `since`, in ms since 1970, are left out. */
export function lineSink(out: NodeJS.WriteStream, clock: SteadyClock, since = 0): EventSink {
  const style = styleFor(out)
  const lastProgress = new Map<string, number>()
  const items = createItemTracker()
  const waiting = new Map<string, WaitingEvent>()
  let timer: Timer | undefined

  /** A silent log looks like a process that is hanging. */
  function remind(): void {
    for (const [name, { at, reason, error }] of waiting) {
      const since = formatRoughDuration(clock.now() - Date.parse(at))
      const hint = error.hint === undefined ? '' : `; ${error.hint}`
      out.write(`${name}: has been waiting for ${WAITS_FOR[reason]} for ${since}${hint}\n`)
    }
    timer?.refresh()
  }

  function noteWait(name: string, event: RunEvent): void {
    if (event.event === 'step.waiting') waiting.set(name, event)
    else if (event.event === 'step.decided' || event.event === 'step.finished') waiting.delete(name)
    timer ??= waiting.size > 0 ? clock.timer(REMIND_EVERY_MS, remind) : undefined
  }

  function lines(event: RunEvent): string[] {
    switch (event.event) {
      case 'run.skipped':
        return [`skipped: its group is busy with run ${event.behind}`]
      case 'run.queued':
        return [describeQueue(event)]
      case 'run.started':
        return [`run ${event.runId} of ${event.pipeline} (${event.file})`]
      case 'step.started':
        return [`${nameOf(event)}: ${event.uses}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`]
      case 'step.progress': {
        const at = Date.parse(event.at)
        const last = lastProgress.get(nameOf(event))
        if (last === undefined) lastProgress.set(nameOf(event), at)
        if (last === undefined || at - last < PROGRESS_EVERY_MS) return []
        lastProgress.set(nameOf(event), at)
        return [`${nameOf(event)}: ${formatBytes(event.bytesSent)} of ${formatBytes(event.bytesTotal)} sent`]
      }
      case 'step.blocked':
        return [`${nameOf(event)}: ${describeBlocked(event)}`]
      case 'step.looking':
        return [`${nameOf(event)}: ${describeLook(event)}`]
      case 'step.unblocked':
        return [`${nameOf(event)}: continues`]
      case 'step.queued':
        return event.ahead === 0 ? [] : [`${nameOf(event)}: ${describeQueued(event)}`]
      case 'step.retry':
        return [
          `${nameOf(event)}: attempt ${event.attempt} failed, next at ${writeTime(Date.parse(event.retryAt))}: ${event.error.message}`,
        ]
      case 'step.guarded':
        return [`${nameOf(event)}: ${describeGuard(event)}`]
      case 'step.waiting':
        return waitLines(nameOf(event), event, style)
      case 'step.decided':
        return [`${nameOf(event)}: ${describeDecision(event, writeTime)}`]
      case 'job.status':
        return [
          `${nameOf(event)}: job ${event.jobId} ${event.status} (${formatDuration(event.waitedMs)})${asksPartner(event) ? `, ${partnerText(event)}` : ''}`,
        ]
      case 'step.finished': {
        const outcome = event.index === undefined ? items.outcomeOf(event.step) : undefined
        const figures = outcome ? describeItems(outcome) : describeOutputs(event.outputs)
        const facts = [figures, describeTook(event)].filter(Boolean).join(', ')
        // A forEach repeats the error of an item, and an item repeats the error of its step. That error has already
        // been shown.
        const isShown = (outcome !== undefined && outcome.failed.length > 0) || event.error?.step !== undefined
        const problem = event.error && !isShown ? renderReport(event.error, style).map((line) => `  ${line}`) : []
        return [`${nameOf(event)}: ${event.status}, ${facts}`, ...problem]
      }
      case 'run.finished':
        return summaryLines(event, style)
    }
  }

  return {
    event: (event) => {
      const shown = printableData(event)
      items.event(shown)
      const told = lines(shown)
      if ('step' in shown) noteWait(nameOf(shown), shown)
      if (Date.parse(event.at) >= since) for (const line of told) out.write(`${line}\n`)
    },
    childWaits: (event) => {
      for (const line of childWaitLines(event, style)) out.write(`${line}\n`)
    },
    staysBlocked: (blocked) => {
      for (const line of blockedLines(blocked, style)) out.write(`${line}\n`)
    },
    leaves: (run) => {
      for (const line of leftLines(run, style)) out.write(`${line}\n`)
    },
    close: () => timer?.cancel(),
  }
}

/**
 * The lines about a run that a command leaves: what the run waits for, the commands with which people answer, and who
 * works on the run afterwards.
 */
export function leftLines(given: LeftRun, style: Style): string[] {
  const { runId, waits, next } = printableData(given)
  return [
    style('bold', `run ${runId} continues and waits:`),
    ...waits.map((wait) => {
      const who = wait.runId === runId ? wait.step : `run ${wait.runId}, step ${wait.step}`
      const answers = wait.commands.length > 0 ? `: ${wait.commands.join(', or ')}` : ''
      return `  ${who} waits for ${describeWait(wait)}${answers}`
    }),
    next.text,
  ]
}

/** The command that frees a step that is waiting for a step of another run. */
export function blockedLines(blocked: StepBlocked, style: Style): string[] {
  const { step, message, commands } = printableData(blocked)
  return [`${step}: ${message}`, `  ${style('bold', 'What to do:')} ${commands.join(', or ')}`]
}

/** The text about a step that is waiting for a person, in a run that the shown run has started. */
export function childWaitLines(event: WaitingEvent, style: Style): string[] {
  const shown = printableData(event)
  return waitLines(`run ${shown.runId}, which this run started, step ${nameOf(shown)}`, shown, style)
}

function waitLines(who: string, { reason, error }: WaitingEvent, style: Style): string[] {
  return [`${who}: waits for ${WAITS_FOR[reason]}`, ...renderReport(error, style).map((line) => `  ${line}`)]
}

function nameOf(event: StepRef & { label?: string }): string {
  return event.label === undefined ? stepKey(event) : `${stepKey(event)} ${event.label}`
}

/** What a run waits for before it begins. */
export function describeQueue({ runId, group, behind }: Extract<RunEvent, { event: 'run.queued' }>): string {
  if (group === undefined) return `run ${runId} is queued: \`audience start\` runs it when its turn comes`
  return `run ${runId} is queued: group ${group} is busy with run ${behind}`
}

/** `an approval`, `a partner`. */
function describeWait({ reason, jobId, counterpart = 'a partner' }: OpenWait): string {
  return reason === 'partner' ? `${counterpart} (job ${jobId})` : WAITS_FOR[reason]
}
