import type { ScheduleTrigger } from '../../../src/core/trigger.ts'

const at = { file: 'p.yaml', line: 1, column: 1 }

/** A schedule as read from a document that has only its cron line. */
export function scheduleTrigger(changes: Partial<ScheduleTrigger> = {}): ScheduleTrigger {
  return {
    kind: 'schedule',
    id: 'nightly',
    inputs: {},
    at,
    cron: '0 2 * * *',
    timezone: 'UTC',
    missed: 'last',
    catchupWindowMs: 86_400_000,
    overlap: 'skip',
    jitterMs: 0,
    exclude: { dates: [], weekdays: [] },
    ...changes,
  }
}
