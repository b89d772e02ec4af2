import type { TriggerRef } from '../core/occurrence.ts'

/** A file or a set of files at a source, as a trigger knows it. */
export interface LedgerFile extends TriggerRef, LedgerMember {
  /**
   * Distinguishes this file from every other file that has ever been taken. Begins with the time when the file was
   * taken.
   */
  readonly ticket: string
  /** The name of the source in audience.yaml. */
  readonly source: string
  /**
   * The files, if this is a set. In that case, `path` is the folder with the name of the set, and `hint` combines what
   * the source reported about all the files.
   */
  readonly set?: LedgerSet
  /** `open`: there is work left. `kept`: the content is accounted for, and the file stays where it is. */
  readonly state: 'open' | 'kept'
  /** The SHA-256 of the content, once it has been read. */
  readonly sha256?: string
  /** The key of its occurrence, once it gets one. */
  readonly key?: string
}

export interface LedgerMember {
  /** Where the file was found. */
  readonly path: string
  /**
   * What the source reported about the file, such as its size and time. While this is the same, the content is the
   * same, too.
   */
  readonly hint: string
}

export interface LedgerSet {
  readonly name: string
  /** In the order of `trigger.files`. */
  readonly files: readonly LedgerMember[]
  readonly manifest?: LedgerMember
  /** What the set lacked when its time ran out, as part of a sentence. The set then gets no run. */
  readonly lack?: string
}

/** The files of an entry at the source: one file, or the files of its set. */
export function membersOf(file: LedgerMember & Pick<LedgerFile, 'set'>): readonly LedgerMember[] {
  if (!file.set) return [file]
  const { files, manifest } = file.set
  return manifest ? [...files, manifest] : files
}

/** A set that has not been taken yet. Times are in milliseconds since 1970. */
export interface RemoteSet {
  readonly name: string
  /** When the first of its files was seen. */
  readonly since: number
  /** The names or patterns of the files that it lacks; empty while its files are still being written. */
  readonly missing: readonly string[]
  /** When its time runs out. */
  readonly until?: number | undefined
}

/** The result of the last check of a source. Times are in milliseconds since 1970. */
export interface RemoteLook extends TriggerRef {
  readonly source: string
  readonly path: string
  readonly at: number
  /** When a check last succeeded in listing the files. */
  readonly reachedAt?: number | undefined
  /** How many files have been found but not taken yet. */
  readonly waiting: number
  /** The sets among these files, longest wait first. */
  readonly sets?: readonly RemoteSet[] | undefined
  /**
   * The error that the check ended with, and when this error code first occurred. With `source-read-only`, and with
   * `source-too-many` for a set, the check still listed the files.
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
   * Adds an open file. Returns false if the trigger knows a file with the same source, path and hint. If two processes
   * begin work on the same file, only one gets true. Durable when it resolves.
   */
  begin(file: Omit<LedgerFile, 'state' | 'sha256' | 'key'>): Promise<boolean>
  /** The files of a trigger, sorted by ticket. */
  files(ref: TriggerRef): Promise<readonly LedgerFile[]>
  /** The triggers that have files, including triggers whose documents are gone. */
  triggers(): Promise<readonly TriggerRef[]>
  /** Notes the hash of the content and the key of the occurrence. Durable when it resolves. */
  note(ticket: string, change: { sha256: string; key?: string }): Promise<void>
  /** Notes that the work on a file has ended and the file stays where it is. Durable when it resolves. */
  keep(ticket: string): Promise<void>
  /** Forgets files that are no longer at their source. Durable when it resolves. */
  remove(tickets: readonly string[]): Promise<void>
  /** Replaces what is known about the last check. */
  looked(look: RemoteLook): Promise<void>
  /** The last check of each trigger, sorted by trigger. `open` is the number of files in progress. */
  looks(): Promise<readonly (RemoteLook & { readonly open: number })[]>
  /** Forgets the recorded checks of all triggers that are not in the list. */
  keepLooks(triggers: readonly TriggerRef[]): Promise<void>
}
