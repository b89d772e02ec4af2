import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from './store.ts'

/** Names of stored files; absent ones may be among them, to save the caller the sorting out. */
export interface BlobNames {
  readonly contents?: readonly (string | null | undefined)[]
  readonly sets?: readonly (string | null | undefined)[]
}

/**
 * The files beside the store: uploaded contents and the sets that jobs made. Each is written once under a name of its
 * own and never changed; a row of the store makes it count, and what no row speaks of is swept away.
 */
export interface BlobFolders {
  contentPath(content: string): string
  setPath(setFile: string): string
  /** Removes those of the named contents and sets that nothing refers to any more. */
  release(names: BlobNames): void
  /** All files that something refers to. */
  inUse(): { readonly contents: readonly string[]; readonly sets: readonly string[] }
  /** Removes what a crash left behind: everything that nothing refers to, and what was only written aside. */
  sweep(): void
}

export function openBlobFolders(dataDir: string, store: Store): BlobFolders {
  const contents = join(dataDir, 'files')
  const sets = join(dataDir, 'sets')
  for (const folder of [contents, sets]) mkdirSync(folder, { recursive: true })

  const contentInUse = (name: string) => store.files.usesContent(name) || store.jobs.isReading(name)
  const setInUse = (name: string) =>
    store.segments.usesSet(name) ||
    store.matches.usesSet(name) ||
    store.jobs.isReading(name) ||
    isBeingMade(name, store)

  const release = (folder: string, names: readonly (string | null | undefined)[], inUse: (name: string) => boolean) => {
    for (const name of names) if (name && !inUse(name)) rmSync(join(folder, name), { force: true, recursive: true })
  }

  return {
    contentPath: (content) => join(contents, content),
    setPath: (setFile) => join(sets, setFile),
    release(names) {
      release(contents, names.contents ?? [], contentInUse)
      release(sets, names.sets ?? [], setInUse)
    },
    inUse: () => ({
      contents: readdirSync(contents).filter(contentInUse),
      sets: readdirSync(sets).filter((name) => !isAside(name) && setInUse(name)),
    }),
    sweep() {
      release(contents, readdirSync(contents), contentInUse)
      release(sets, readdirSync(sets), (name) => !isAside(name) && setInUse(name))
    },
  }
}

/** The work that was writing it is done again from the start. */
function isAside(setFile: string): boolean {
  return !setFile.endsWith('.parquet')
}

/** Sets are named after the job that makes them, which does not refer to them before it is done. */
function isBeingMade(setFile: string, store: Store): boolean {
  const jobId = /^(\d+)-/.exec(setFile)?.[1]
  return jobId !== undefined && store.jobs.isActive(jobId)
}
