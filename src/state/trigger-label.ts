import { isJsonObject } from '../core/json.ts'
import type { RunTrigger } from '../core/run.ts'

/** Which slot, file, run or pipelines started a run, in a few words; empty for a person. */
export function labelOfTrigger({ name, parent, id, date, time, timezone, runs }: RunTrigger): string {
  if (isJsonObject(runs)) return Object.keys(runs).join(', ')
  const parts = name ?? parent ?? [id, date, time, timezone].filter((part) => part !== undefined).join(' ')
  return String(parts)
}
