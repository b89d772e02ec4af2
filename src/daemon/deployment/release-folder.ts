import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isJsonObject, parseJson } from '../../core/json.ts'
import type { CommitFacts } from '../../platform/git/git-store.ts'
import type { TreeEntry } from '../../platform/git/tree.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'

/** What a release was made of; it lies beside its folder. */
export interface Manifest {
  readonly facts: CommitFacts
  /** The id of each blob, by its path. */
  readonly files: ReadonlyMap<string, string>
}

const FLUSHED_AT_ONCE = 32
const NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Where a commit lies in the folder of the releases. */
export function releaseFolder(releases: string, commit: string): string {
  if (!NAME.test(commit)) throw new Error(`${commit} is not the id of a commit`)
  return join(releases, commit)
}

/** The commit of whose release a file is; undefined if it is none. */
export function commitOfRelease(releases: string, file: string): string | undefined {
  const [name = ''] = relative(releases, file).split(sep)
  return NAME.test(name) ? name : undefined
}

/** The commits whose releases are kept. */
export function keptReleases(releases: string): readonly string[] {
  return existsSync(releases) ? readdirSync(releases).filter((name) => NAME.test(name)) : []
}

/** Of a release that is kept; undefined if it was written otherwise or is damaged. */
export function readManifest(releases: string, commit: string): Manifest | undefined {
  try {
    const data = parseJson(readFileSync(`${releaseFolder(releases, commit)}.json`, 'utf8'))
    if (!isJsonObject(data)) return undefined
    // Only `writeRelease` writes it.
    const { facts, files } = data as unknown as { facts: CommitFacts; files: Record<string, string> }
    return { facts, files: new Map(Object.entries(files)) }
  } catch {
    return undefined
  }
}

/**
 * Writes a release aside; `place` puts it in its place, all at once. Files that the release before has with the same blob are
 * the same files on disk: nobody writes to a release.
 */
export async function writeRelease({
  releases,
  commit,
  pid,
  facts,
  files,
  before,
  read,
  onBlob,
}: {
  readonly releases: string
  readonly commit: string
  readonly pid: number
  readonly facts: CommitFacts
  readonly files: readonly TreeEntry[]
  readonly before: { readonly commit: string; readonly files: ReadonlyMap<string, string> } | undefined
  /** Sees each new file. */
  readonly onBlob: (path: string, bytes: Buffer) => void
  /** Gives the bytes of blobs, in this order. */
  readonly read: (ids: readonly string[], onBlob: (index: number, bytes: Buffer) => void) => Promise<void>
}): Promise<{ readonly aside: string; readonly place: () => string }> {
  const folder = releaseFolder(releases, commit)
  const aside = join(releases, `.${commit}.${pid}`)
  rmSync(aside, { recursive: true, force: true })
  makeFolder(aside)
  for (const path of new Set(files.map(({ path }) => dirname(path)))) makeFolder(join(aside, path))
  const fresh = files.filter(({ path, id }) => {
    if (!before || before.files.get(path) !== id) return true
    try {
      linkSync(join(releaseFolder(releases, before.commit), path), join(aside, path))
      return false
    } catch {
      // It is written anew: not every file system links, and not for ever.
      return true
    }
  })
  await read(
    fresh.map(({ id }) => id),
    (index, bytes) => {
      const path = fresh[index]?.path
      if (path === undefined) return
      onBlob(path, bytes)
      writeFileSync(join(aside, path), bytes, { mode: 0o444, flag: 'wx' })
    },
  )
  const folders = new Set(files.map(({ path }) => dirname(path)))
  await flush([...fresh.map(({ path }) => path), ...folders].map((path) => join(aside, path)))
  const manifest = { facts, files: Object.fromEntries(files.map(({ path, id }) => [path, id])) }
  writeFileSync(`${aside}.json`, JSON.stringify(manifest), { mode: 0o444, flush: true })
  return {
    aside,
    place() {
      // One that is there was never in use: an earlier try ended here.
      removeRelease(releases, commit)
      renameSync(`${aside}.json`, `${folder}.json`)
      renameSync(aside, folder)
      syncToDisk(releases)
      return folder
    },
  }
}

/** Flushes files and folders to disk beside other work: a release must survive a power cut, as the row about it does. */
async function flush(paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += FLUSHED_AT_ONCE) {
    await Promise.all(
      paths.slice(at, at + FLUSHED_AT_ONCE).map(async (path) => {
        const file = await open(path)
        await file.sync().finally(() => file.close())
      }),
    )
  }
}

export function removeRelease(releases: string, commit: string): void {
  const folder = releaseFolder(releases, commit)
  rmSync(folder, { recursive: true, force: true })
  rmSync(`${folder}.json`, { force: true })
}

/** Removes what tries left that did not end. Nobody else may write a release meanwhile. */
export function removeUnfinished(releases: string): void {
  if (!existsSync(releases)) return
  for (const name of readdirSync(releases))
    if (name.startsWith('.')) rmSync(join(releases, name), { recursive: true, force: true })
}
