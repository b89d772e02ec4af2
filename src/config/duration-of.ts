import { parseDuration } from '../core/duration.ts'

/** A duration that the schema has checked, in milliseconds. One that is too long for a number means forever. */
export function durationOf(text: string | undefined, defaultMs: number): number {
  return text === undefined ? defaultMs : (parseDuration(text) ?? Number.MAX_SAFE_INTEGER)
}
