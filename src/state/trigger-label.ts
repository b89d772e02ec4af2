import { isJsonObject } from '../core/json.ts'
import type { RunTrigger } from '../core/run.ts'
import type { Redact } from '../core/secrets.ts'

/** The label as it is stored. The id of a parent stays as it is: the runs below a run are found by it. */
export function storedLabel(trigger: RunTrigger, redact: Redact): string {
  const label = labelOfTrigger(trigger)
  return trigger.kind === 'run' ? label : redact(label)
}

/** Which slot, file, run or pipelines started a run, in a few words; empty for a person. */
export function labelOfTrigger({ name, parent, id, date, time, timezone, runs }: RunTrigger): string {
  if (isJsonObject(runs)) return Object.keys(runs).join(', ')
  const parts = name ?? parent ?? [id, date, time, timezone].filter((part) => part !== undefined).join(' ')
  return String(parts)
}
