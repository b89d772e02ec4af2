import { basename, dirname, join } from 'node:path'
import type { TriggerRef } from '../../core/trigger-ledger.ts'
import { codeOf, type Disk } from './disk.ts'
import { type FoundFile, type Look, MARKER } from './find-files.ts'

/**
 * A file that was taken out of its watched folder, where nobody else writes: what a run reads is what was looked at. It
 * lies in `<watched folder>/.taken/<pipeline>.<trigger>/<ticket>/<name>`, on the same file system, so that taking is one
 * rename; once its run has a key, the folder is called `<ticket>~<key>`, so that a restart knows without reading it.
 */
export interface TakenFile {
  readonly path: string
  readonly name: string
  /** Tells it from every other file that was ever taken; begins with when that was. */
  readonly ticket: string
  /** The key of its occurrence, as far as there is one. */
  readonly key: string
  /** How it looked when it was taken; not known after a restart. */
  readonly seen?: Look
}

const TICKET = /^\d+-/

export function takenFolder(watched: string, { pipeline, trigger }: TriggerRef): string {
  return join(watched, '.taken', `${pipeline}.${trigger}`)
}

/** When a file was taken, in milliseconds since 1970. */
export function takenAt({ ticket }: Pick<TakenFile, 'ticket'>): number {
  return Number.parseInt(ticket, 10)
}

/** Takes a file; undefined when it is not there any more. `now` in milliseconds since 1970. */
export async function takeFile(
  disk: Disk,
  seen: FoundFile,
  { from, into, now }: { readonly from: string; readonly into: string; readonly now: number },
): Promise<TakenFile | undefined> {
  const folder = await newFolder(disk, join(into, `${now}-`))
  try {
    // Before the file: a marker left alone would stand for the next file of this name.
    await disk.rm(join(from, seen.name + MARKER), { force: true })
    const path = join(folder, seen.name)
    await disk.rename(join(from, seen.name), path)
    return { ...described(path), seen }
  } catch (error) {
    await disk.rmdir(folder)
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Writes the key of a file's occurrence down where the file lies. */
export async function keepKey(disk: Disk, file: TakenFile, key: string): Promise<TakenFile> {
  if (key === file.key) return file
  const folder = join(dirname(dirname(file.path)), `${file.ticket}~${key}`)
  await disk.rename(dirname(file.path), folder)
  return { ...file, path: join(folder, file.name), key }
}

/** The files that a process before this one took. */
export async function listTaken(disk: Disk, into: string): Promise<TakenFile[]> {
  const files: TakenFile[] = []
  for (const ticket of await namesIn(disk, into)) {
    if (!TICKET.test(ticket)) continue
    const [name] = await namesIn(disk, join(into, ticket))
    // It died before the file came, or after it had gone.
    if (name === undefined) await disk.rmdir(join(into, ticket))
    else files.push(described(join(into, ticket, name)))
  }
  return files
}

function described(path: string): TakenFile {
  const [ticket = '', key = ticket] = basename(dirname(path)).split('~')
  return { path, name: basename(path), ticket, key }
}

async function newFolder(disk: Disk, prefix: string): Promise<string> {
  try {
    return await disk.mkdtemp(prefix)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await disk.mkdir(dirname(prefix), { recursive: true })
    return disk.mkdtemp(prefix)
  }
}

async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  try {
    return (await disk.readdir(folder)).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}
