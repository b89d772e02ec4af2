import type { Logger } from 'pino'
import { formatDuration } from '../core/format/duration-text.ts'
import { formatBytes } from '../core/format/figures.ts'
import { partnerText } from '../core/format/partner-text.ts'
import { asksPartner, type StepRef, stepKey, WAITS_FOR } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { describeBlocked, describeLook, describeQueued } from '../runs/describe-waits.ts'
import { describeGuard } from '../runs/guards/describe-guard.ts'

/**
 * Logs the events in the runs of this process: each as a sentence, with its name as `event` and its facts. Progress,
 * turns, job statuses and starts of steps are at `debug`.
 */
export function logEvents(log: Logger): (event: RunEvent) => void {
  return (event) => log[levelOf(event)](factsOf(event), sentence(event))
}

function levelOf(event: RunEvent): 'debug' | 'info' | 'warn' | 'error' {
  switch (event.event) {
    case 'step.progress':
    case 'step.queued':
    case 'job.status':
    case 'step.started':
      return 'debug'
    case 'step.retry':
    case 'step.looking':
    case 'step.waiting':
      return 'warn'
    case 'step.guarded':
      return event.breach ? 'warn' : 'info'
    case 'step.finished':
      return event.status === 'failed' ? 'error' : 'info'
    case 'run.finished':
      if (event.status === 'failed') return 'error'
      return event.failures === undefined ? 'info' : 'warn'
    default:
      return 'info'
  }
}

/** Leaves out outputs, which can be large; `audience runs show` shows them. */
function factsOf(event: RunEvent): object {
  const { at: _at, outputs: _outputs, ...facts } = { outputs: undefined, ...event }
  return facts
}

function sentence(event: RunEvent): string {
  const run = `run ${event.runId}`
  const step = 'step' in event ? `${run}: step ${nameOf(event)}` : run
  switch (event.event) {
    case 'run.queued':
      return event.group === undefined
        ? `${run} is queued`
        : `${run} is queued behind ${event.behind} in group ${event.group}`
    case 'run.skipped':
      return `${run} was skipped: its group is busy with ${event.behind}`
    case 'run.started':
      return `${run} of ${event.pipeline} has begun`
    case 'step.started':
      return `${step} has begun${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`
    case 'step.progress':
      return `${step} has sent ${formatBytes(event.bytesSent)} of ${formatBytes(event.bytesTotal)}`
    case 'step.blocked':
      return `${step} ${describeBlocked(event)}`
    case 'step.looking':
      return `${step} ${describeLook(event)}`
    case 'step.unblocked':
      return `${step} is no longer waiting`
    case 'step.queued':
      return `${step} ${describeQueued(event) || 'has its turn'}`
    case 'step.retry':
      return `${step} failed on attempt ${event.attempt} and will be retried in ${untilRetry(event)}: ${event.error.message}`
    case 'step.guarded':
      return `${step}: ${describeGuard(event)}`
    case 'step.waiting':
      return `${step} waits for ${WAITS_FOR[event.reason]}: ${event.error.message}`
    case 'step.decided':
      return `${step}: ${event.decision}${event.by === undefined ? '' : ` by ${event.by}`}`
    case 'job.status':
      return `${step}: job ${event.jobId} is ${event.status}${asksPartner(event) ? `: it ${partnerText(event)}` : ''}`
    case 'step.finished': {
      if (event.keptFrom !== undefined) return `${step} was not done again: run ${event.keptFrom} did it`
      return `${step} ${ended(event)}`
    }
    case 'run.finished': {
      const { failures, failuresOf } = event
      const partly = failures === undefined ? '' : `, although ${failures} of ${failuresOf} failed`
      return `${run} ${ended(event)}${partly}`
    }
  }
}

function untilRetry({ at, retryAt }: Extract<RunEvent, { event: 'step.retry' }>): string {
  return formatDuration(Math.max(0, Date.parse(retryAt) - Date.parse(at)))
}

function ended(event: Extract<RunEvent, { event: 'step.finished' | 'run.finished' }>): string {
  const status = event.status === 'skipped' || event.status === 'cancelled' ? `was ${event.status}` : event.status
  const took = event.status === 'skipped' ? '' : ` after ${formatDuration(event.durationMs)}`
  return `${status}${took}${event.error ? `: ${event.error.message}` : ''}`
}

function nameOf(event: StepRef & { label?: string }): string {
  return event.label === undefined ? stepKey(event) : `${stepKey(event)} (${event.label})`
}
