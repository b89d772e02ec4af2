import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListSources } from '../core/list-source.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { findFiles } from './find-files.ts'
import type { ListPlace } from './list-request.ts'
import type { Lists } from './lists.ts'
import { makeList } from './make-list.ts'

export interface ListsOptions {
  /** The folder of the lists, absolute; only its owner may enter. */
  readonly folder: string
  /** Where lists can come from. */
  readonly sources: ListSources
  /** The files with the keys of people who opted out, absolute. */
  readonly suppress: readonly string[]
}

export function openLists({ folder, sources, suppress }: ListsOptions): Lists {
  const folderOf = ({ runId, stepKey }: ListPlace) => join(folder, runId, shortHash(stepKey))
  const fileOf = (place: ListPlace) => join(folderOf(place), `${safe(place.pipeline)}.csv`)
  // DuckDB may use what it is allowed to only once in a process.
  let last: Promise<unknown> = Promise.resolve()
  return {
    fileOf,
    async make(request, place, signal) {
      const own = folderOf(place)
      await rm(own, { recursive: true, force: true })
      const work = join(own, 'work')
      makeFolder(work)
      try {
        const files = await findFiles(request.from, sources, { folder: work, signal })
        const made = last.then(() =>
          makeList(request, { files, suppress, target: fileOf(place), folder: work, signal }),
        )
        last = made.catch(() => undefined)
        const figures = await made
        await rm(work, { recursive: true, force: true })
        return figures
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
