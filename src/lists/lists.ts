import type { FileSignal } from '../contract/enumerations.ts'
import type { OptOutFile } from '../core/privacy.ts'
import type { RemoteFile } from '../core/remote-source.ts'
import type { ListFigures, ListPlace, ListRequest } from './list-request.ts'

/** The prepared lists of a state: files with people in them. Each belongs to one run. */
export interface Lists {
  /** Where the list of a step execution is. */
  fileOf(place: ListPlace): string
  /**
   * Makes the list of a step execution; an earlier one is removed. `onTurn` hears how many lists are before it if
   * it has to wait, and 0 when it begins after that.
   */
  make(
    request: ListRequest,
    place: ListPlace,
    signal: AbortSignal,
    onTurn?: (ahead: number) => void,
  ): Promise<ListFigures>
  /**
   * The file of a list that was made before. If it is missing, it is made again; throws `list-changed` if its rows have
   * changed since.
   */
  keep(
    request: ListRequest,
    place: ListPlace,
    made: { readonly sha256: string },
    signal: AbortSignal,
  ): Promise<ListFile>
  /** Makes a list to look at; its file is there until `close`. */
  preview(request: ListRequest, pipeline: string, signal: AbortSignal): Promise<ListFigures & { readonly file: string }>
  /** The files on another machine that a list would be made of: it lists them and reads none. Undefined if its rows are on this one. */
  look(from: ListRequest['from'], signal: AbortSignal): Promise<readonly RemoteFile[] | undefined>
  /** Reads an opt-out list, in its turn, as lists of these signals would; throws `opt-outs-unusable` as they would. */
  proveOptOuts(optOut: OptOutFile, signals: readonly FileSignal[], signal: AbortSignal): Promise<void>
  /** Whether a path is a prepared list. */
  has(path: string): boolean
  /** The runs that have lists, and the previews of processes that have ended. */
  runs(): Promise<readonly string[]>
  /** Removes the lists of a run, and leftovers from making them. */
  remove(runId: string): Promise<void>
  /** Removes the previews of this process. */
  close(): Promise<void>
}

/** The file of a list, with what it holds. */
interface ListFile {
  readonly file: string
  readonly bytes: number
  readonly modifiedMs: number
}
