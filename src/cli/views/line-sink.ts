import { formatDuration } from '../../core/duration.ts'
import { printableData } from '../../core/printable.ts'
import { stepKey } from '../../core/run.ts'
import type { RunEvent } from '../../core/run-event.ts'
import { describeOutputs } from './describe-outputs.ts'
import { describeQueue } from './describe-queue.ts'
import { describeTook } from './describe-took.ts'
import type { EventSink } from './event-sink.ts'
import { formatBytes } from './figures.ts'
import { renderReport } from './render-report.ts'
import { styleFor } from './style.ts'
import { summaryLines } from './summary.ts'

/** The least time between two lines about the same upload. */
const PROGRESS_EVERY_MS = 5000

/** One plain line per fact, for output without a terminal. */
export function lineSink(out: NodeJS.WriteStream): EventSink {
  const style = styleFor(out)
  const lastProgress = new Map<string, number>()

  function lines(event: RunEvent): string[] {
    switch (event.event) {
      case 'run.skipped':
        return [`skipped: its group is busy with run ${event.behind}`]
      case 'run.queued':
        return [describeQueue(event)]
      case 'run.started':
        return [`run ${event.runId} of ${event.pipeline} (${event.file})`]
      case 'step.started':
        return [`${stepKey(event)}: ${event.uses}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`]
      case 'step.progress': {
        const at = Date.parse(event.at)
        const last = lastProgress.get(stepKey(event))
        if (last === undefined) lastProgress.set(stepKey(event), at)
        if (last === undefined || at - last < PROGRESS_EVERY_MS) return []
        lastProgress.set(stepKey(event), at)
        return [`${stepKey(event)}: ${formatBytes(event.bytesSent)} of ${formatBytes(event.bytesTotal)} sent`]
      }
      case 'step.retry':
        return [`${stepKey(event)}: attempt ${event.attempt} failed, next at ${event.retryAt}: ${event.error.message}`]
      case 'step.waiting':
        return [
          `${stepKey(event)}: waits for ${event.reason === 'approval' ? 'an approval' : 'a decision'}`,
          ...renderReport(event.error, style).map((line) => `  ${line}`),
        ]
      case 'step.decided':
        return [`${stepKey(event)}: decided: ${event.decision}`]
      case 'job.status':
        return [`${stepKey(event)}: job ${event.jobId} ${event.status} (${formatDuration(event.waitedMs)})`]
      case 'step.finished': {
        const facts = [describeOutputs(event.outputs), describeTook(event)].filter(Boolean).join(', ')
        const problem = event.error ? renderReport(event.error, style).map((line) => `  ${line}`) : []
        return [`${stepKey(event)}: ${event.status}, ${facts}`, ...problem]
      }
      case 'run.finished':
        return summaryLines(event, style)
    }
  }

  return {
    event: (event) => {
      for (const line of lines(printableData(event))) out.write(`${line}\n`)
    },
    close: () => undefined,
  }
}
