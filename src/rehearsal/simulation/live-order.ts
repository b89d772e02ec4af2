import type { Occurrence } from '../../core/occurrence.ts'
import type { RunRow } from '../../state/run-history.ts'
import type { WorldService } from '../world-service.ts'
import type { DaySpan, Rest } from './choose-days.ts'

/** What the process of a simulation gets: which days of which documents to run, and in what world. */
export interface LiveOrder {
  /** The folder of the project. */
  readonly root: string
  /** Its documents, absolute. */
  readonly pipelines: readonly [string, ...string[]]
  readonly profile: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly spans: readonly DaySpan[]
  readonly rests: readonly Rest[]
  /** Whether each run finds a list that has changed. */
  readonly lists: 'changed' | 'same'
  readonly service: WorldService
  /** A folder for the world; the caller removes it. */
  readonly scratch: string
}

/** What happened to a slot. Times are in milliseconds since 1970. */
export interface LivedSlot extends Pick<Occurrence, 'pipeline' | 'trigger' | 'at' | 'state' | 'reason'> {
  readonly run: LivedRun | undefined
}

export interface LivedRun extends Pick<RunRow, 'status' | 'submittedAt' | 'beganAt' | 'finishedAt'> {
  readonly error: string | undefined
  /** Whether the run waits for a partner at the service. */
  readonly isAtPartner: boolean
}

/** The minute with the most requests to the service. */
export interface PeakMinute {
  readonly at: number
  readonly requests: number
  /** How many requests there were for each operation. */
  readonly operations: Readonly<Record<string, number>>
  /** How many requests came from the runs of each pipeline. */
  readonly pipelines: Readonly<Record<string, number>>
}

/** What the process reports. */
export type LiveFound =
  | {
      /** What happened to the slots of a stretch, which ends at `livedUntil`. */
      readonly lived: readonly LivedSlot[]
      readonly livedUntil: number
      readonly span: DaySpan
    }
  /** The process is still working. It reports this because long days take time. */
  | { readonly goesOn: true }
  | { readonly peak: PeakMinute | undefined }
