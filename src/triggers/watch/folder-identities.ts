import type { SteadyClock } from '../../core/clock.ts'
import { type FolderIdentity, folderIdentityOn } from '../../platform/folder-identity.ts'
import type { Disk } from './disk.ts'

/** A folder whose file system takes longer to answer is what it was last: nobody waits for it. */
const LATE_MS = 30_000

interface Known {
  identity: FolderIdentity
  asking: Promise<void> | undefined
  isLate: boolean
}

/** What the watched folders are, and those that files are moved to. */
export class FolderIdentities {
  readonly #disk: Disk
  readonly #clock: SteadyClock
  readonly #known = new Map<string, Known>()

  constructor(disk: Disk, clock: SteadyClock) {
    this.#disk = disk
    this.#clock = clock
  }

  async of(path: string): Promise<FolderIdentity> {
    const known = this.#known.get(path) ?? { identity: [path], asking: undefined, isLate: false }
    this.#known.set(path, known)
    known.asking ??= this.#ask(path, known)
    if (!known.isLate) await this.#atMost(known.asking, known)
    return known.identity
  }

  /** Forgets all other folders. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path)
  }

  async #ask(path: string, known: Known): Promise<void> {
    known.identity = await folderIdentityOn(this.#disk, path)
    known.asking = undefined
    known.isLate = false
  }

  async #atMost(asking: Promise<void>, known: Known): Promise<void> {
    const answered = new AbortController()
    const late = this.#clock.sleep(LATE_MS, answered.signal).then(
      () => {
        known.isLate = true
      },
      () => undefined,
    )
    await Promise.race([asking, late])
    answered.abort()
  }
}
