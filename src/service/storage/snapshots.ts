import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BlobFolders } from './blob-folders.ts'
import type { Store } from './store.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** Copies of all that the service knows, each under a name, in `snapshots/` of the data folder. */
export interface Snapshots {
  /** By name. */
  list(): { readonly name: string; readonly takenAt: number }[]
  has(name: string): boolean
  /** The store and every file that it refers to, as they are at this moment; whole or not there. */
  take(name: string): void
  /** Replaces the state by the snapshot's. Once it has begun, a crash only puts it off to the next start. */
  restore(name: string): void
  delete(name: string): void
  /** Ends what a crash interrupted. Call it before anything reads the store. */
  recover(): void
}

/** Contents are written once and never changed, so that a snapshot shares them: a second name for the same bytes. */
export function createSnapshots(dataDir: string, store: Store, blobs: BlobFolders): Snapshots {
  const root = join(dataDir, 'snapshots')
  const marker = join(dataDir, 'restoring')
  mkdirSync(root, { recursive: true })
  const complete = () => readdirSync(root).filter((name) => !name.endsWith(ASIDE))

  /** May begin again at any point. */
  const replace = (name: string) => {
    const folder = join(root, name)
    for (const [kind, pathOf] of [
      ['files', blobs.contentPath],
      ['sets', blobs.setPath],
    ] as const) {
      for (const file of readdirSync(join(folder, kind))) {
        rmSync(pathOf(file), { force: true })
        linkOrCopy(join(folder, kind, file), pathOf(file))
      }
      syncToDisk(join(dataDir, kind))
    }
    store.replaceBy(join(folder, 'service.db'))
    rmSync(marker)
  }

  return {
    list: () => complete().map((name) => ({ name, takenAt: statSync(join(root, name, 'service.db')).mtimeMs })),
    has: (name) => existsSync(join(root, name)),
    take(name) {
      const aside = join(root, `${name}${ASIDE}`)
      rmSync(aside, { recursive: true, force: true })
      for (const kind of ['files', 'sets']) mkdirSync(join(aside, kind), { recursive: true })
      store.copyTo(join(aside, 'service.db'))
      const { contents, sets } = blobs.inUse()
      for (const content of contents) linkOrCopy(blobs.contentPath(content), join(aside, 'files', content))
      for (const set of sets) linkOrCopy(blobs.setPath(set), join(aside, 'sets', set))
      for (const part of ['service.db', 'files', 'sets', '.']) syncToDisk(join(aside, part))
      renameSync(aside, join(root, name))
      syncToDisk(root)
    },
    restore(name) {
      const before = blobs.inUse()
      writeFileSync(`${marker}${ASIDE}`, name, { flush: true })
      renameSync(`${marker}${ASIDE}`, marker)
      syncToDisk(dataDir)
      replace(name)
      blobs.release(before)
    },
    delete(name) {
      // Renamed first, so that half of a snapshot is never taken for one.
      const aside = join(root, `${name}${ASIDE}`)
      rmSync(aside, { recursive: true, force: true })
      renameSync(join(root, name), aside)
      rmSync(aside, { recursive: true })
    },
    recover() {
      for (const name of readdirSync(root)) {
        if (name.endsWith(ASIDE)) rmSync(join(root, name), { recursive: true })
      }
      rmSync(`${marker}${ASIDE}`, { force: true })
      if (existsSync(marker)) replace(readFileSync(marker, 'utf8'))
    },
  }
}

/** No snapshot can be named so. */
const ASIDE = '.part'

/** Not every file system knows second names. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error
    copyFileSync(from, to)
  }
}
