import { Status } from '../ui/status.tsx'
import { type Shown, standingOf } from './standing-of.ts'

/** The status of a run or a step. */
export function Standing({ of, short }: { of: Shown; short?: boolean }) {
  return <Status {...standingOf(of)} short={short} />
}
