import type { RunTrigger } from '../core/run.ts'

/** Which slot, file or run started a run, in a few words; empty for a person. */
export function labelOfTrigger({ name, parent, id, date, time, timezone }: RunTrigger): string {
  const parts = name ?? parent ?? [id, date, time, timezone].filter((part) => part !== undefined).join(' ')
  return String(parts)
}
