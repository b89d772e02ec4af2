import type { Logger } from 'pino'
import type { RunEvent } from '../core/run-event.ts'

/** Logs the events in the runs of this process, one line a fact. Progress and job statuses are at `debug`. */
export function logEvents(log: Logger): (event: RunEvent) => void {
  return (event) => {
    const { at: _at, event: name, ...facts } = event
    switch (event.event) {
      case 'step.progress':
      case 'job.status':
      case 'step.started':
        return log.debug(facts, name)
      case 'step.retry':
      case 'step.waiting':
        return log.warn(facts, name)
      case 'step.finished':
      case 'run.finished': {
        // Outputs can be as large as a pipeline makes them; `audience runs show` shows them.
        const { at: _, event: __, outputs: ___, ...rest } = event
        return event.status === 'failed' ? log.error(rest, name) : log.info(rest, name)
      }
      default:
        return log.info(facts, name)
    }
  }
}
