import { createLogUpdate } from 'log-update'
import { printableData } from '../../core/printable.ts'
import { describeQueue } from './describe-queue.ts'
import type { EventSink } from './event-sink.ts'
import { createProgress, frameOf } from './progress-frame.ts'
import { renderReport } from './render-report.ts'
import { styleFor } from './style.ts'
import { summaryLines } from './summary.ts'

const FRAME_EVERY_MS = 100

/** One line per step, redrawn in place, for a terminal. */
export function liveSink(out: NodeJS.WriteStream, now: () => number): EventSink {
  const style = styleFor(out)
  const update = createLogUpdate(out)
  const progress = createProgress()
  const draw = () => update(frameOf(progress, { now: now(), columns: out.columns, style }).join('\n'))
  const timer = setInterval(draw, FRAME_EVERY_MS)
  let closed = false

  function close(): void {
    if (closed) return
    closed = true
    clearInterval(timer)
    draw()
    update.done()
    for (const { name, error } of progress.steps()) {
      if (error) out.write(`\n${style('bold', name)}: ${renderReport(error, style).join('\n  ')}\n`)
    }
  }

  return {
    event(given) {
      const event = printableData(given)
      if (event.event === 'run.queued') out.write(`${describeQueue(event)}\n`)
      if (event.event === 'run.started') out.write(`run ${event.runId} of ${event.pipeline} (${event.file})\n`)
      progress.event(event)
      if (event.event !== 'run.finished') return
      close()
      out.write(`\n${summaryLines(event, style).join('\n')}\n`)
    },
    close,
  }
}
