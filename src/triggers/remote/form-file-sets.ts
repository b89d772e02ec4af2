import { joinRemotePath, splitRemotePath } from '../../core/remote-path.ts'
import { hintOf, type RemoteFile } from '../../core/remote-source.ts'
import { sha256 } from '../../core/sha256.ts'
import { starOf } from '../../core/star-pattern.ts'
import type { WaitFor } from '../../core/trigger.ts'

/** The maximum number of files in a set. */
export const MAX_SET_FILES = 50

/** What one run gets: a file, or a set of files. */
export interface Arrival {
  /** Where it was found; for a set, its folder and its name. */
  readonly path: string
  /** How it looks from outside. While this stays the same, so does its content. */
  readonly hint: string
  /** In the order of `trigger.files`. */
  readonly files: readonly RemoteFile[]
  /** Only for sets. */
  readonly set?: {
    /** The text that the `*` of its patterns stands for. */
    readonly name: string
    readonly manifest?: RemoteFile
    /** The names or patterns of the files that have not arrived yet. */
    readonly missing: readonly string[]
  }
}

/** All its files at the source; the files of `trigger.files` come first. */
export function partsOf({ files, set }: Arrival): readonly RemoteFile[] {
  return set?.manifest ? [...files, set.manifest] : files
}

/** Makes one arrival from each file. */
export function eachAlone(files: readonly RemoteFile[]): readonly Arrival[] {
  return files.map((file) => ({ path: file.path, hint: hintOf(file), files: [file] }))
}

/** Whether a file of this name can belong to a set of this trigger. `isFile` tests the pattern of its path. */
export function isOfSet(waitFor: WaitFor, isFile: (name: string) => boolean): (name: string) => boolean {
  if (waitFor.kind === 'manifest') return (name) => isFile(name) || starOf(waitFor.pattern, name) !== undefined
  return (name) => isFile(name) && waitFor.patterns.some((pattern) => starOf(pattern, name) !== undefined)
}

/** Groups the files of one folder into sets, each file in one set. */
export function formFileSets(files: readonly RemoteFile[], waitFor: WaitFor): readonly Arrival[] {
  return waitFor.kind === 'all' ? setsOfAll(files, waitFor.patterns) : setsOfManifests(files, waitFor.pattern)
}

/** Files for which `*` stands for the same text belong together. */
function setsOfAll(files: readonly RemoteFile[], patterns: readonly string[]): readonly Arrival[] {
  const sets = new Map<string, Map<string, RemoteFile>>()
  for (const file of files)
    for (const pattern of patterns) {
      const name = starOf(pattern, splitRemotePath(file.path).name)
      if (name !== undefined) sets.set(name, (sets.get(name) ?? new Map()).set(pattern, file))
    }
  return [...sets].map(([name, members]) =>
    setOf(name, {
      files: patterns.flatMap((pattern) => members.get(pattern) ?? []),
      missing: patterns.flatMap((pattern) => (members.has(pattern) ? [] : [pattern.replace('*', () => name)])),
    }),
  )
}

/**
 * The manifest `x.done` releases the file `x` and all files `x.…`. If several manifests fit, the one with the longest
 * name counts.
 */
function setsOfManifests(files: readonly RemoteFile[], pattern: string): readonly Arrival[] {
  const manifests = new Map<string, RemoteFile>()
  const others: RemoteFile[] = []
  for (const file of files) {
    const name = starOf(pattern, splitRemotePath(file.path).name)
    if (name === undefined) others.push(file)
    else manifests.set(name, file)
  }
  const released = Map.groupBy(others, (file) =>
    beginningsOf(splitRemotePath(file.path).name).find((beginning) => manifests.has(beginning)),
  )
  const alone = released.get(undefined) ?? []
  return [
    ...[...manifests].map(([name, manifest]) => {
      const its = (released.get(name) ?? []).toSorted((a, b) => (a.path < b.path ? -1 : 1))
      return setOf(name, { files: its, manifest, missing: its.length > 0 ? [] : [`${name}.*`] })
    }),
    ...alone.map((file) => setOf(splitRemotePath(file.path).name, { files: [file], missing: [pattern] })),
  ]
}

/** A name, and the part before each of its dots, the longest first. */
function beginningsOf(name: string): readonly string[] {
  const parts = name.split('.')
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('.'))
}

function setOf(
  name: string,
  { files, manifest, missing }: { files: readonly RemoteFile[]; manifest?: RemoteFile; missing: readonly string[] },
): Arrival {
  const all = manifest ? [...files, manifest] : files
  const { folder } = splitRemotePath(all[0]?.path ?? '')
  const looks = all.map((file) => [file.path, hintOf(file)])
  return {
    path: joinRemotePath(folder, name),
    hint: sha256(JSON.stringify(looks)),
    files,
    set: { name, manifest, missing },
  }
}
