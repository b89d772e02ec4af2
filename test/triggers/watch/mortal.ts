import { type PathLike, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { normalize } from 'node:path'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import type { WatchDeps } from '../../../src/triggers/watch/watch.ts'
import { depsOf, type Watching } from './watching.ts'

export interface Mortal {
  readonly deps: WatchDeps
  readonly isDead: () => boolean
  /** The calls to the file system, the occurrence store and the engine so far. */
  readonly calls: readonly Call[]
}

/** The calls, their files, and the count of equal calls: `rename /inbox/a.csv /inbox/.taken/… #1`. */
export type Call = string

/** The number of the call, or its name; and whether the death is just after or just before it. */
export interface Death {
  readonly at: number | Call
  readonly after: boolean
}

type Work = (...given: unknown[]) => Promise<unknown>

const never = new Promise<never>(() => undefined)

/**
 * Dependencies that die with their process at a call (counted from 1): before the call does anything, or after it but
 * before its answer. From then on, nothing answers.
 */
export function mortal(bench: Watching, death: Death, links: Links): Mortal {
  const deps = depsOf(bench)
  const calls: Call[] = []
  let isDead = false
  const living =
    <Given extends unknown[], Answer>(
      name: string,
      work: (...given: Given) => Promise<Answer>,
      half?: (...given: Given) => void,
    ) =>
    async (...given: Given): Promise<Answer> => {
      if (isDead) return never
      const call = numbered([name, ...given.flatMap((value) => pathIn(bench, value))].join(' '), calls)
      calls.push(call)
      if (death.at !== calls.length && death.at !== call) {
        const answer = await work(...given)
        return isDead ? never : answer
      }
      isDead = true
      if (half) half(...given)
      else if (death.after) await work(...given).catch(() => undefined)
      return never
    }
  const { open, copyFile } = localDisk
  const disk = {
    ...Object.fromEntries(Object.entries(localDisk).map(([name, work]) => [name, living(name, work as Work)])),
    open: living(
      'open',
      async (...given: Parameters<typeof open>) => {
        const file = await open(...given)
        // The dead process can no longer close the file.
        if (isDead) await file.close()
        return file
      },
      () => undefined,
    ),
    copyFile: living('copyFile', copyFile, (from, to) => copyHalf(String(from), String(to))),
    link: living('link', LINKS[links]),
  } as WatchDeps['disk']
  const { occurrenceStore } = deps
  return {
    isDead: () => isDead,
    calls,
    deps: {
      ...deps,
      disk,
      fire: living('fire', deps.fire),
      occurrenceStore: {
        ...occurrenceStore,
        note: living('note', occurrenceStore.note),
        close: living('close', occurrenceStore.close),
      },
      clock: { ...deps.clock, sleep: async (ms, signal) => (isDead ? never : deps.clock.sleep(ms, signal)) },
      watchFolders: () => ({ add: () => undefined, remove: () => undefined, close: async () => undefined }),
    },
  }
}

/** A ticket is different each time. */
export const withoutTicket = (path: string): string => path.replace(/\d{10,}-(\w{6})?/, 'TICKET')

function pathIn({ folder }: Watching, value: unknown): string[] {
  if (typeof value !== 'string') return []
  const path = realOf(value)
  return path.startsWith(folder) ? [withoutTicket(path.slice(folder.length))] : []
}

/** Folders are opened by their descriptors. */
function realOf(path: string): string {
  return normalize(path.replace(/^\/proc\/self\/fd\/\d+/, (descriptor) => readlinkSync(descriptor)))
}

function numbered(call: string, before: readonly Call[]): Call {
  return `${call} #${1 + before.filter((each) => each.startsWith(`${call} #`)).length}`
}

function copyHalf(from: string, to: string): void {
  const content = readFileSync(from)
  writeFileSync(to, content.subarray(0, content.length >> 1))
}

/** Which files can be linked: all, none in the folder of taken files, or none at all. */
export type Links = 'all' | 'otherDisk' | 'none'

const LINKS: Readonly<Record<Links, (from: PathLike, to: PathLike) => Promise<void>>> = {
  all: localDisk.link,
  async otherDisk(from, to) {
    if (realOf(String(from)).includes('/.taken/'))
      throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' })
    await localDisk.link(from, to)
  },
  async none() {
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  },
}
