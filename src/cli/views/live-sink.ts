import { createLogUpdate } from 'log-update'
import type { SteadyClock } from '../../core/clock.ts'
import { count } from '../../core/format/figures.ts'
import { printableData } from '../../core/printable.ts'
import type { EventSink } from './event-sink.ts'
import { blockedLines, childWaitLines, describeQueue, leftLines } from './line-sink.ts'
import { createProgress, type StepLine } from './progress.ts'
import { frameOf, lastFrameOf } from './progress-frame.ts'
import { renderReport } from './render-error.ts'
import { styleFor } from './style.ts'
import { summaryLines } from './summary.ts'
import { hanging } from './text-width.ts'

const FRAME_EVERY_MS = 100
/** How many failed items are shown with their errors. */
const MOST_ERRORS = 5

/** One line per step, redrawn in place, for a terminal. Its final output is complete, however small the terminal is. */
export function liveSink(out: NodeJS.WriteStream, clock: SteadyClock): EventSink {
  const style = styleFor(out)
  const update = createLogUpdate(out)
  const progress = createProgress()
  const say = (...lines: readonly string[]) => {
    for (const line of lines) out.write(`${hanging(line, out.columns).join('\n')}\n`)
  }
  // The last column and the last row stay free: filling one moves the cursor to the next line.
  const view = () => ({ now: clock.now(), columns: out.columns - 1, style })
  const draw = () => update(frameOf(progress, { ...view(), rows: out.rows - 1 }).join('\n'))
  const timer = clock.timer(FRAME_EVERY_MS, () => {
    draw()
    timer.refresh()
  })
  let runId = ''
  let closed = false

  function close(): void {
    if (closed) return
    closed = true
    timer.cancel()
    update.clear()
    update.done()
    for (const line of lastFrameOf(progress, view())) out.write(`${line}\n`)
    for (const step of progress.steps()) sayErrors(step)
  }

  function sayErrors(step: Readonly<StepLine>): void {
    const failed = step.items.filter(({ error, state }) => error && state === 'failed')
    // A forEach repeats the error of an item.
    const shown = failed.length > 0 ? failed.slice(0, MOST_ERRORS) : [step]
    for (const { name, error, state } of shown) {
      if (!error || state === 'waiting') continue
      out.write('\n')
      const [first = '', ...rest] = renderReport(error, style)
      say(`${style('bold', error.step ?? name)}: ${first}`, ...rest.map((line) => `  ${line}`))
    }
    if (failed.length > shown.length)
      say(`and ${count(failed.length - shown.length, 'more item')}: \`audience runs show ${runId}\``)
  }

  return {
    event(given) {
      const event = printableData(given)
      runId = event.runId
      if (event.event === 'run.queued') say(describeQueue(event))
      if (event.event === 'run.started') say(`run ${event.runId} of ${event.pipeline} (${event.file})`)
      progress.event(event)
      if (event.event !== 'run.finished') return
      close()
      out.write('\n')
      say(...summaryLines(event, style))
    },
    childWaits(event) {
      // The frame is drawn again below these lines.
      update.clear()
      say(...childWaitLines(event, style))
    },
    staysBlocked(blocked) {
      update.clear()
      say(...blockedLines(blocked, style))
    },
    leaves(run) {
      close()
      out.write('\n')
      say(...leftLines(run, style))
    },
    close,
  }
}
