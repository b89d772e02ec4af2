import type { TriggerRef } from '../core/occurrence.ts'

/** A file of a source that a trigger knows, or a set of files. */
export interface LedgerFile extends TriggerRef, LedgerMember {
  /** Distinguishes it from every other file ever taken; begins with the time of taking. */
  readonly ticket: string
  /** The name of the source in audience.yaml. */
  readonly source: string
  /** For a set: its files. Its path is then its folder with its name, and its hint shows how all its files looked. */
  readonly set?: LedgerSet
  /** `open`: there is work left. `kept`: its content is accounted for, and it stays where it is. */
  readonly state: 'open' | 'kept'
  /** The SHA-256 of its content, once it was read. */
  readonly sha256?: string
  /** The key of its occurrence, once it gets one. */
  readonly key?: string
}

export interface LedgerMember {
  /** Where it was found. */
  readonly path: string
  /** How it looked: while this is the same, its content is, too. */
  readonly hint: string
}

export interface LedgerSet {
  readonly name: string
  /** In the order of `trigger.files`. */
  readonly files: readonly LedgerMember[]
  readonly manifest?: LedgerMember
  /** What it lacked when its time was over, as part of a sentence: it gets no run. */
  readonly lack?: string
}

/** The files at the source. */
export function membersOf(file: LedgerMember & Pick<LedgerFile, 'set'>): readonly LedgerMember[] {
  if (!file.set) return [file]
  const { files, manifest } = file.set
  return manifest ? [...files, manifest] : files
}

/** A set that is not taken yet. Times are in milliseconds since 1970. */
export interface RemoteSet {
  readonly name: string
  /** When the first of its files was seen. */
  readonly since: number
  /** The names or patterns of what it lacks; empty while its files are written to. */
  readonly missing: readonly string[]
  /** When its time is over. */
  readonly until?: number | undefined
}

/** How the last look at a source went. Times are in milliseconds since 1970. */
export interface RemoteLook extends TriggerRef {
  readonly source: string
  readonly path: string
  readonly at: number
  /** When a look last found a list. */
  readonly reachedAt?: number | undefined
  /** Files that were found and are not taken yet. */
  readonly waiting: number
  /** The sets among them, those that wait longest first. */
  readonly sets?: readonly RemoteSet[] | undefined
  /**
   * The error that the look ended with, and when an error of this code first came. With `source-read-only`, and with
   * `source-too-many` for a set, the look still found a list.
   */
  readonly problem?: RemoteProblem | undefined
}

export interface RemoteProblem {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly since: number
}

/**
 * What triggers know about files on other machines. Every implementation passes test/contract/remote-ledger-suite.ts.
 */
export interface RemoteLedger {
  /**
   * Adds an open file; false if the trigger knows one of the same source, path and hint. Of two processes that begin the same file, one gets
   * true. Durable when it resolves.
   */
  begin(file: Omit<LedgerFile, 'state' | 'sha256' | 'key'>): Promise<boolean>
  /** The files of a trigger, in the order of their tickets. */
  files(ref: TriggerRef): Promise<readonly LedgerFile[]>
  /** The triggers that have files, also those whose documents are gone. */
  triggers(): Promise<readonly TriggerRef[]>
  /** Notes what was read. Durable when it resolves. */
  note(ticket: string, change: { readonly sha256: string; readonly key?: string }): Promise<void>
  /** The work on a file has ended, and it stays where it is. Durable when it resolves. */
  keep(ticket: string): Promise<void>
  /** Forgets files that are no longer at their source. Durable when it resolves. */
  remove(tickets: readonly string[]): Promise<void>
  /** Replaces what is known of the last look. */
  looked(look: RemoteLook): Promise<void>
  /** In the order of triggers. `open`: how many files are in progress. */
  looks(): Promise<readonly (RemoteLook & { readonly open: number })[]>
  /** Forgets the looks of triggers that are not in the list. */
  keepLooks(triggers: readonly TriggerRef[]): Promise<void>
}
