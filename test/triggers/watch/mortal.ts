import { type PathLike, readFileSync, writeFileSync } from 'node:fs'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import type { WatchDeps } from '../../../src/triggers/watch/watch-deps.ts'
import { depsOf, type Watching } from './watching.ts'

export interface Mortal {
  readonly deps: WatchDeps
  readonly isDead: () => boolean
  /** How many calls there were to the file system, the occurrence store and the engine. */
  readonly calls: () => number
}

type Work = (...given: unknown[]) => Promise<unknown>

const never = new Promise<never>(() => undefined)

/**
 * Deps that die with their process: at call `at` (from 1), before it has done anything or after it has, but before
 * anybody knows. From then on nothing ever answers.
 */
export function mortal(bench: Watching, death: { at: number; after: boolean }, links: Links): Mortal {
  const deps = depsOf(bench)
  let calls = 0
  let isDead = false
  const living =
    <Given extends unknown[], Answer>(work: (...given: Given) => Promise<Answer>, half?: (...given: Given) => void) =>
    async (...given: Given): Promise<Answer> => {
      if (isDead) return never
      calls += 1
      if (calls !== death.at) {
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
    ...Object.fromEntries(Object.entries(localDisk).map(([name, work]) => [name, living(work as Work)])),
    open: living(
      async (...given: Parameters<typeof open>) => {
        const file = await open(...given)
        // Nobody is left to close it.
        if (isDead) await file.close()
        return file
      },
      () => undefined,
    ),
    copyFile: living(copyFile, (from, to) => copyHalf(String(from), String(to))),
    link: living(LINKS[links]),
  } as WatchDeps['disk']
  const { occurrenceStore } = deps
  return {
    isDead: () => isDead,
    calls: () => calls,
    deps: {
      ...deps,
      disk,
      fire: living(deps.fire),
      occurrenceStore: { ...occurrenceStore, note: living(occurrenceStore.note), close: living(occurrenceStore.close) },
      clock: { now: deps.clock.now, sleep: async (ms, signal) => (isDead ? never : deps.clock.sleep(ms, signal)) },
      watchFolders: () => ({ add: () => undefined, remove: () => undefined, close: async () => undefined }),
    },
  }
}

function copyHalf(from: string, to: string): void {
  const content = readFileSync(from)
  writeFileSync(to, content.subarray(0, content.length >> 1))
}

/** What can be linked: all files, none from where they were taken to, or none at all. */
export type Links = 'all' | 'otherDisk' | 'none'

const LINKS: Readonly<Record<Links, (from: PathLike, to: PathLike) => Promise<void>>> = {
  all: localDisk.link,
  async otherDisk(from, to) {
    if (String(from).includes('.taken')) throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' })
    await localDisk.link(from, to)
  },
  async none() {
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  },
}
