import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { releasesFolder, type Settings } from '../../config/settings.ts'
import { tried } from '../../core/tried.ts'
import type { CommitFacts } from '../../platform/git/git-store.ts'
import type { TreeEntry } from '../../platform/git/tree.ts'
import type { GitVersionOf } from '../../platform/git-version.ts'
import { pathExists } from '../../platform/is-file.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'

/**
 * What a release was made from. It is in the release's folder. Its name begins with a dot, and files with such names
 * are not taken from a commit.
 */
export interface Manifest {
  /** The folder of the repository. */
  readonly path: string
  readonly facts: CommitFacts
  /** The id of each blob, by its path. */
  readonly files: ReadonlyMap<string, string>
}

const FLUSHED_AT_ONCE = 32
const MANIFEST = '.manifest.json'
const NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** The folder of a commit in the folder of the releases. */
export function releaseFolder(releases: string, commit: string): string {
  if (!NAME.test(commit)) throw new Error(`${commit} is not the id of a commit`)
  return join(releases, commit)
}

/** The commit whose release contains a file; undefined for any other file. */
function commitOfRelease(releases: string, file: string): string | undefined {
  const [name = ''] = relative(releases, file).split(sep)
  return NAME.test(name) ? name : undefined
}

/** The commit of a document in a release is in its path; `other` returns the commit of any other document. */
export function releaseVersions(settings: Pick<Settings, 'shared'>, other: GitVersionOf): GitVersionOf {
  const releases = releasesFolder(settings)
  return async (document) => {
    const commit = commitOfRelease(releases, document.file)
    return commit === undefined ? other(document) : { commit, dirty: false }
  }
}

/** The commits whose releases are kept. A folder that this user may not enter is an error, unlike a missing one. */
export function keptReleases(releases: string): readonly string[] {
  return pathExists(releases) ? readdirSync(releases).filter((name) => NAME.test(name)) : []
}

/**
 * The description of a kept release; undefined if somebody else wrote it, or if it is damaged. Throws if this user may
 * not read it.
 */
export function readManifest(releases: string, commit: string): Manifest | undefined {
  const file = join(releaseFolder(releases, commit), MANIFEST)
  if (!pathExists(file)) return undefined
  return tried(() => {
    // Only `writeRelease` writes it.
    const data: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const { path, facts, files } = data as Omit<Manifest, 'files'> & { readonly files: Record<string, string> }
    return { path, facts, files: new Map(Object.entries(files)) }
  })
}

/**
 * Writes a release to a folder that only this call uses; `place` then moves it to its final path in one step. A file
 * that has the same blob in the previous release is the same file on disk. This is safe, because nobody writes to a
 * release.
 */
export async function writeRelease(release: {
  releases: string
  commit: string
  /** The folder of the repository. */
  path: string
  facts: CommitFacts
  files: readonly TreeEntry[]
  before: { commit: string; files: ReadonlyMap<string, string> } | undefined
  /** Receives each new file. */
  onBlob: (path: string, bytes: Buffer) => void
  /** Returns the bytes of blobs, in this order. */
  read: (ids: readonly string[], onBlob: (index: number, bytes: Buffer) => void) => Promise<void>
}): Promise<{ readonly aside: string; readonly place: () => void }> {
  const { releases, commit, path, facts, files, before, read, onBlob } = release
  const folder = releaseFolder(releases, commit)
  makeFolder(releases)
  const aside = mkdtempSync(join(releases, `.${commit}.`))
  for (const path of new Set(files.map(({ path }) => dirname(path)))) makeFolder(join(aside, path))
  const fresh = files.filter(({ path, id }) => {
    if (!before || before.files.get(path) !== id) return true
    try {
      linkSync(join(releaseFolder(releases, before.commit), path), join(aside, path))
      return false
    } catch {
      // If linking fails, the file is written again, because not every file system has links, and the number of links
      // to a file is limited.
      return true
    }
  })
  await read(
    fresh.map(({ id }) => id),
    (index, bytes) => {
      const name = fresh[index]?.path
      if (name === undefined) return
      onBlob(name, bytes)
      writeFileSync(join(aside, name), bytes, { mode: 0o444, flag: 'wx' })
    },
  )
  const folders = new Set(files.map(({ path }) => dirname(path)))
  const manifest = { path, facts, files: Object.fromEntries(files.map((file) => [file.path, file.id])) }
  writeFileSync(join(aside, MANIFEST), JSON.stringify(manifest), { mode: 0o444, flush: true })
  await flush([...fresh.map((file) => file.path), ...folders, '.'].map((name) => join(aside, name)))
  return {
    aside,
    place() {
      // It may already be in use: another keeper was faster, or an earlier attempt ended before the row was written.
      if (readManifest(releases, commit)?.path === path) return removeFolder(aside)
      removeFolder(folder)
      renameSync(aside, folder)
      syncToDisk(releases)
    },
  }
}

/**
 * Flushes files and folders to disk while other work continues, because a release must survive a power cut, as the row
 * about it does.
 */
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

/**
 * Removes a folder. Its readers see it disappear all at once, so that nobody mistakes a part of a release for the
 * whole.
 */
export function removeFolder(folder: string): void {
  if (!existsSync(folder)) return
  const away = mkdtempSync(join(dirname(folder), '.away.'))
  renameSync(folder, join(away, 'it'))
  rmSync(away, { recursive: true, force: true })
}

/**
 * Removes what unfinished attempts left behind. An old keeper may not know yet that it has lost the role. If it is
 * still writing a release, its attempt fails.
 */
export function removeUnfinished(releases: string): void {
  if (!existsSync(releases)) return
  for (const name of readdirSync(releases)) if (name.startsWith('.')) removeFolder(join(releases, name))
}
