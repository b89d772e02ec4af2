import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../platform/make-folder.ts'
import type { ListFigures, ListPlace, ListRequest } from './list-request.ts'
import { makeList } from './make-list.ts'

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

export interface ListsOptions {
  /** The folder of the lists, absolute; only its owner may enter. */
  readonly folder: string
}

export function openLists({ folder }: ListsOptions): Lists {
  const folderOf = ({ runId, stepKey }: ListPlace) => join(folder, runId, shortHash(stepKey))
  const fileOf = (place: ListPlace) => join(folderOf(place), `${safe(place.pipeline)}.csv`)
  // DuckDB may use what it is allowed to only once in a process.
  let last: Promise<unknown> = Promise.resolve()
  return {
    fileOf,
    async make(request, place, signal) {
      const own = folderOf(place)
      await rm(own, { recursive: true, force: true })
      makeFolder(own)
      try {
        const files = [request.from.file ?? '']
        const made = last.then(() =>
          makeList(request, { files, target: fileOf(place), tempDir: join(own, 'tmp'), signal }),
        )
        last = made.catch(() => undefined)
        return await made
      } catch (error) {
        await rm(own, { recursive: true, force: true })
        throw error
      }
    },
    runs: () => readdir(folder).catch(() => []),
    remove: (runId) => rm(join(folder, runId), { recursive: true, force: true }),
  }
}

/** A step key can hold any text, and a name of a file cannot. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function safe(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)
}
