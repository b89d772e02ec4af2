import type { ListFigures, ListPlace, ListRequest } from './list-request.ts'

/** The prepared lists of a state: files with people in them, each for one run. */
export interface Lists {
  /** Where the list of a step execution is. */
  fileOf(place: ListPlace): string
  /** Makes the list of a step execution; what was there before is removed. */
  make(request: ListRequest, place: ListPlace, signal: AbortSignal): Promise<ListFigures>
  /** The runs that have lists. */
  runs(): Promise<readonly string[]>
  /** Removes the lists of a run, and what was left of making them. */
  remove(runId: string): Promise<void>
}
