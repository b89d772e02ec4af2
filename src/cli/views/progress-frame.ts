import { formatDuration } from '../../core/duration.ts'
import type { ErrorReport } from '../../core/errors.ts'
import { type StepRef, stepKey } from '../../core/run.ts'
import type { RunEvent } from '../../core/run-event.ts'
import { describeOutputs } from './describe-outputs.ts'
import { describeTook } from './describe-took.ts'
import { formatBytes } from './figures.ts'
import { renderReport } from './render-report.ts'
import type { Style } from './style.ts'

/** The content of a step's line. */
interface StepLine {
  readonly name: string
  uses: string
  state: 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'cancelled'
  startedAt?: number
  /** For a step that has ended. */
  took?: string
  bytes?: { sent: number; total: number }
  job?: { status: string; waitedMs: number; seenAt: number }
  note: string
  error?: ErrorReport
}

export interface Progress {
  event(event: RunEvent): void
  steps(): Iterable<Readonly<StepLine>>
}

/** Follows the events of a run. A step has its line from the start; a forEach item gets one when it begins. */
export function createProgress(): Progress {
  const lines = new Map<string, StepLine>()
  const lineOf = (ref: StepRef) => {
    const name = stepKey(ref)
    const line: StepLine = lines.get(name) ?? { name, uses: '', state: 'pending', note: '' }
    lines.set(name, line)
    return line
  }
  return {
    steps: () => lines.values(),
    event(event) {
      if (event.event === 'run.started') for (const step of event.steps) lineOf({ step })
      if (!('step' in event)) return
      const line = lineOf(event)
      const at = Date.parse(event.at)
      switch (event.event) {
        case 'step.started':
          line.uses = event.uses
          line.state = 'running'
          line.startedAt ??= at
          return
        case 'step.progress':
          line.bytes = { sent: event.bytesSent, total: event.bytesTotal }
          return
        case 'step.retry':
          line.note = `attempt ${event.attempt} failed, next at ${event.retryAt}`
          return
        case 'step.waiting':
          line.state = 'waiting'
          line.note = `waits for ${event.reason === 'approval' ? 'an approval' : 'a decision'}`
          line.error = event.error
          return
        case 'step.decided':
          line.state = 'running'
          line.note = ''
          delete line.error
          return
        case 'job.status':
          line.job = { status: event.status, waitedMs: event.waitedMs, seenAt: at }
          return
        case 'step.finished':
          line.state = event.status
          line.took = describeTook(event)
          line.note = describeOutputs(event.outputs)
          if (event.error) line.error = event.error
      }
    },
  }
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const BAR_WIDTH = 24

/** The lines of one frame; `now` in milliseconds since 1970. */
export function frameOf(progress: Progress, view: { now: number; columns: number; style: Style }): string[] {
  const lines = [...progress.steps()]
  const width = Math.max(0, ...lines.map((line) => line.name.length))
  return lines.flatMap((line) => [
    `${symbol(line, view)} ${line.name.padEnd(width)}  ${activity(line, view)}`.trimEnd(),
    ...(line.state === 'waiting' && line.error
      ? renderReport(line.error, view.style).map((text) => `    ${text}`)
      : []),
  ])
}

function symbol(line: StepLine, { now, style }: { now: number; style: Style }): string {
  switch (line.state) {
    case 'pending':
      return style('dim', '·')
    case 'running':
      return style('cyan', SPINNER[Math.floor(now / 100) % SPINNER.length] ?? '')
    case 'succeeded':
      return style('green', '✓')
    case 'waiting':
      return style('yellow', '?')
    case 'skipped':
      return style('dim', '-')
    case 'failed':
    case 'cancelled':
      return style('red', '✗')
  }
}

function activity(line: StepLine, { now, style }: { now: number; style: Style }): string {
  const took = line.took ?? (line.startedAt === undefined ? '' : formatDuration(Math.max(0, now - line.startedAt)))
  const time = took && style('dim', took)
  if (line.state !== 'running')
    return [line.note || (line.state === 'succeeded' ? line.uses : line.state), time].filter(Boolean).join('  ')
  if (line.job) {
    const waited = formatDuration(line.job.waitedMs + Math.max(0, now - line.job.seenAt))
    return `${line.uses}  job ${line.job.status}, waited ${waited}`
  }
  if (line.bytes) return `${line.uses}  ${bar(line.bytes)}  ${time}`
  return [line.uses, line.note, time].filter(Boolean).join('  ')
}

function bar({ sent, total }: { sent: number; total: number }): string {
  const share = total === 0 ? 1 : Math.min(1, sent / total)
  const full = Math.round(share * BAR_WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${formatBytes(sent)} of ${formatBytes(total)}`
}
