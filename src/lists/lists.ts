import type { FileSignal } from '../contract/enumerations.ts'
import type { OptOutFile } from '../core/privacy.ts'
import type { RemoteFile } from '../core/remote-source.ts'
import type { ListFigures, ListPlace, ListRequest } from './list-request.ts'

/** The prepared lists of a state: files with the keys of people. Each list belongs to one run. */
export interface Lists {
  /** The path of the list of a step execution. */
  fileOf(place: ListPlace): string
  /**
   * Makes the list of a step execution and replaces an earlier one. If it has to wait, `onTurn` gets the number of
   * lists before it, then 0 when it begins.
   */
  make(
    request: ListRequest,
    place: ListPlace,
    signal: AbortSignal,
    onTurn?: (ahead: number) => void,
  ): Promise<ListFigures>
  /**
   * Returns the file of a list that was made before. Makes it again if it is missing; throws `list-changed` if its rows
   * have changed since.
   */
  keep(request: ListRequest, place: ListPlace, made: { sha256: string }, signal: AbortSignal): Promise<ListFile>
  /** Makes a list only for a preview. Its file stays until `close`. */
  preview(request: ListRequest, pipeline: string, signal: AbortSignal): Promise<ListFigures & { readonly file: string }>
  /**
   * The files on another machine that a list would be made from. Lists them without reading them. Undefined if the rows
   * are on this machine.
   */
  look(from: ListRequest['from'], signal: AbortSignal): Promise<readonly RemoteFile[] | undefined>
  /**
   * Reads an opt-out list, in its turn, as it would be read for lists of these signals; throws `opt-outs-unusable` in
   * the same cases.
   */
  proveOptOuts(optOut: OptOutFile, signals: readonly FileSignal[], signal: AbortSignal): Promise<void>
  /** Whether a path leads to a prepared list. */
  has(path: string): boolean
  /** The runs that have lists, and the previews of processes that have ended. */
  runs(): Promise<readonly string[]>
  /** Removes the lists of a run, and what was left over from making them. */
  remove(runId: string): Promise<void>
  /** Removes the previews of this process. */
  close(): Promise<void>
}

/** The file of a list, with its figures. */
interface ListFile {
  readonly file: string
  readonly bytes: number
  readonly modifiedMs: number
}
