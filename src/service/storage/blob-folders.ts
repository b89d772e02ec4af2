import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from './store.ts'

/** Names of stored files. Entries may be undefined, so that callers need not filter them. */
export interface BlobNames {
  readonly contents?: readonly (string | null | undefined)[]
  readonly sets?: readonly (string | null | undefined)[]
}

/**
 * The files beside the store: uploaded contents, and the sets that jobs made. Each file is written once under its own
 * name and never changed. A file counts only if a row of the store refers to it. All other files are removed.
 */
export interface BlobFolders {
  contentPath(content: string): string
  setPath(setFile: string): string
  /** Removes the named contents and sets that nothing refers to any more. */
  release(names: BlobNames): void
  /** All files that something refers to. */
  inUse(): { readonly contents: readonly string[]; readonly sets: readonly string[] }
  /** Removes what a crash left: every file that nothing refers to, and temporary files. */
  sweep(): void
}

export function openBlobFolders(dataDir: string, store: Store): BlobFolders {
  const contents = join(dataDir, 'files')
  const sets = join(dataDir, 'sets')
  for (const folder of [contents, sets]) mkdirSync(folder, { recursive: true, mode: 0o700 })

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

/** Whether a file is temporary. The work that was writing it is repeated from the beginning. */
function isAside(setFile: string): boolean {
  return !setFile.endsWith('.parquet')
}

/**
 * Whether a job is making this set. A set is named after its job. The job refers to the set only when the work is done.
 */
function isBeingMade(setFile: string, store: Store): boolean {
  const jobId = /^(\d+)-/.exec(setFile)?.[1]
  return jobId !== undefined && store.jobs.isActive(jobId)
}
