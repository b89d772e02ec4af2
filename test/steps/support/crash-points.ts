import type { CrashPoint } from './step-run.ts'

/** The crash points from one record to another. "After a record" is the same as "before the next one". */
export function crashPoints(first: number, last: number): CrashPoint[] {
  const records = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return records.flatMap((record) => [
    { record, when: 'before' },
    { record, when: 'unrecorded' },
  ])
}
