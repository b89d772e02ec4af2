import type { RunRow } from '../state/run-history.ts'

/** For each live list of every pipeline, the number of the given keys that it contains. */
export interface HeldKeysReport {
  readonly lists: readonly HeldKeys[]
  /** The lists that cannot be searched, so they may hold any of the keys. */
  readonly unknown: readonly UnknownList[]
}

export interface HeldKeys {
  readonly pipeline: string
  /**
   * The run that the list belongs to: the last one that succeeded, or a later one that uploaded its list and did not
   * succeed.
   */
  readonly runId: string
  readonly status: RunRow['status']
  /** The step that prepared the list. */
  readonly step: string
  /** How many keys the file has for the signal of the list. */
  readonly asked: number
  readonly held: number
  /** How many keys of the file are in no opt-out list, so the next run would still send them. */
  readonly notOptedOut: number
  /** What starts the run that makes the next list; only if keys are held. */
  readonly next?: NextRun
}

/** A list that cannot be searched, so it may hold any key. */
export interface UnknownList {
  readonly pipeline: string
  /** The run that the list belongs to. */
  readonly runId: string
  /** The step that prepared or uploaded it. */
  readonly step?: string
  readonly why: string
}

/** What starts the next run of a pipeline: a slot of a schedule, a file in a watched folder, or a person. */
export type NextRun =
  | { readonly kind: 'slot'; readonly schedule: string; readonly at: string }
  | { readonly kind: 'file'; readonly folder: string }
  | { readonly kind: 'command'; readonly command: string }
