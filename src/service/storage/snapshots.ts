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
import { codeOf } from '../../core/code-of.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'
import type { BlobFolders } from './blob-folders.ts'
import type { Store } from './store.ts'

/** Named copies of everything that the service knows, in the folder `snapshots/` of the data folder. */
export interface Snapshots {
  /** Sorted by name. */
  list(): { readonly name: string; readonly takenAt: number }[]
  has(name: string): boolean
  /** Copies the store and every file that it refers to, as they are now. A snapshot is complete or does not exist. */
  take(name: string): void
  /** Replaces the state with a snapshot. Once this has begun, a crash only delays it until the next start. */
  restore(name: string): void
  delete(name: string): void
  /** Completes what a crash interrupted. Call it before anything reads the store. */
  recover(): void
}

/** Opens the snapshots. Contents are written once and never changed, so a snapshot shares them through hard links. */
export function createSnapshots(dataDir: string, store: Store, blobs: BlobFolders): Snapshots {
  const root = join(dataDir, 'snapshots')
  const marker = join(dataDir, 'restoring')
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const complete = () => readdirSync(root).filter((name) => !name.endsWith(ASIDE))

  /** Replaces the state. This can be interrupted and repeated at any point. */
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
      for (const kind of ['files', 'sets']) mkdirSync(join(aside, kind), { recursive: true, mode: 0o700 })
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
      writeFileSync(`${marker}${ASIDE}`, name, { flush: true, mode: 0o600 })
      renameSync(`${marker}${ASIDE}`, marker)
      syncToDisk(dataDir)
      replace(name)
      blobs.release(before)
    },
    delete(name) {
      // The snapshot is renamed first, so that half a snapshot never counts as one.
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

/** No snapshot's name can end with this. */
const ASIDE = '.part'

/** Links a file, or copies it if the file system does not support hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error
    copyFileSync(from, to)
  }
}
