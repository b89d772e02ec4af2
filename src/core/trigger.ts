import type { Position } from './diagnostic.ts'
import type { Expression, Template } from './template.ts'

export type Trigger = ScheduleTrigger | WatchTrigger | RemoteTrigger | AfterTrigger

interface TriggerBase {
  readonly id: string
  /** The trigger starts runs only under these profiles; if absent, under all. */
  readonly profiles?: readonly string[]
  /** The condition for starting a run. */
  readonly if?: Expression
  /** Inputs of the run that it starts. */
  readonly inputs: Readonly<Record<string, Template>>
  readonly at: Position
}

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

export interface ScheduleTrigger extends TriggerBase {
  readonly kind: 'schedule'
  /** Five fields. */
  readonly cron: string
  readonly timezone: string
  /** What happens to slots that passed while no daemon was running. */
  readonly missed: 'none' | 'last' | 'all'
  /** Slots older than this are missed, even if `missed` says otherwise. */
  readonly catchupWindowMs: number
  readonly overlap: 'skip' | 'queue' | 'cancelRunning' | 'allow'
  readonly jitterMs: number
  /**
   * Whether slots in an hour that a clock change repeats fire only the first time. If absent, an interval fires both
   * times, and any other schedule only the first time.
   */
  readonly repeatedHour?: 'once' | 'twice'
  /** Days without slots, in the schedule's time zone. */
  readonly exclude: {
    /** `2026-12-25`. */
    readonly dates: readonly string[]
    readonly weekdays: readonly (typeof WEEKDAYS)[number][]
    /** Path of a calendar (.ics) or of a text file with one date per line, relative to the document. */
    readonly file?: string
  }
  /** Such as `06:00`, in the schedule's time zone. A run that has not ended by then is late. */
  readonly deadline?: string
}

export interface WatchTrigger extends TriggerBase {
  readonly kind: 'watch'
  /** Relative to the document, like `done` and `failed`. */
  readonly path: string
  readonly pattern: string
  readonly settleMs: number
  readonly done: string
  readonly failed: string
  /** Whether the same content starts a run each time a file with it is dropped. */
  readonly repeat: boolean
  readonly precheck: {
    readonly maxBytes: number
    /** The signal that rows must have. */
    readonly signal?: string
    /** The share of rows that must have it, from 0 to 1. */
    readonly minimumShare: number
  }
}

/** A watch of a source on another machine. Its runs have a trigger of the kind `watch`. */
export interface RemoteTrigger extends TriggerBase, Pick<WatchTrigger, 'settleMs' | 'repeat' | 'precheck'> {
  readonly kind: 'remote'
  /** The name of a source in audience.yaml. */
  readonly source: string
  /** A folder at the source and a pattern for names: `incoming/*.csv`. */
  readonly path: string
  readonly everyMs: number
  /** What happens at the source to a file whose run has succeeded, and to any other file. */
  readonly done: RemoteAct
  readonly failed: RemoteAct
  /** Its runs get sets of files. */
  readonly waitFor?: WaitFor
}

/** Which files of a source are a set. Each pattern has one `*`. */
export type WaitFor = (
  | { readonly kind: 'all'; readonly patterns: readonly string[] }
  | { readonly kind: 'manifest'; readonly pattern: string }
) & {
  /** A set fails if it is not complete this long after its first file. If absent, the set waits forever. */
  readonly withinMs?: number
}

/** The path as people write it: `partner:incoming/*.csv`. */
export function sourcePath({ source, path }: Pick<RemoteTrigger, 'source' | 'path'>): string {
  return `${source}:${path}`
}

export type RemoteAct =
  | { readonly act: 'keep' | 'delete' }
  | { readonly act: 'move'; readonly folder: string }
  | { readonly act: 'tag'; readonly key: string; readonly value: string }

/** Whether a file leaves its location, which means that it is taken first. */
export function isLeaving({ act }: RemoteAct): boolean {
  return act === 'move' || act === 'delete'
}

/** Which outcomes of runs count for an `after`. */
export const ENDS_THAT_COUNT = ['success', 'failure', 'any'] as const

export interface AfterTrigger extends TriggerBase {
  readonly kind: 'after'
  /**
   * The names of the pipelines after which it starts runs. It starts one run for each set of ended runs. A set has one
   * ended run of each pipeline.
   */
  readonly pipelines: readonly string[]
  readonly on: (typeof ENDS_THAT_COUNT)[number]
  /** How long after the first run of a set the last one may end. */
  readonly withinMs: number
  /** What happens to the sets that became complete while no daemon was running. */
  readonly missed: 'none' | 'last' | 'all'
  /** Sets older than this are missed, even if `missed` says otherwise. */
  readonly catchupWindowMs: number
}
