import type { SteadyClock } from '../../core/clock.ts'
import { triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { type FolderIdentity, folderIdentityOn } from '../../platform/real-path.ts'
import type { Disk } from './disk.ts'
import { type Stop, Stops } from './stops.ts'
import { foldersOf, type Watch } from './watch.ts'

/** How long what the folders of all triggers are counts as known. */
const FRESH_MS = 1000
/** It counts so many times longer than it takes to find out: with thousands of folders, that takes a while. */
const FRESH_TIMES = 20

/** All triggers that watch, as each of them has to know them. */
export class WatchTriggers {
  readonly #identities: FolderIdentities
  readonly #clock: SteadyClock
  #watches: readonly Watch[] = []
  #stops: Promise<Stops> | undefined
  #freshUntil = 0
  #version = 0

  constructor(disk: Disk, clock: SteadyClock) {
    this.#identities = new FolderIdentities(disk, clock)
    this.#clock = clock
  }

  /** Changes whenever the triggers are set. */
  get version(): number {
    return this.#version
  }

  replace(watches: readonly Watch[]): void {
    this.#watches = watches
    this.#version += 1
    this.#stops = undefined
    this.#identities.keep(new Set(watches.flatMap(foldersOf)))
  }

  /** What the folders of a trigger are right now. */
  async stopOf(watch: Watch): Promise<Stop> {
    const [path = [], ...leadsTo] = await Promise.all(foldersOf(watch).map((folder) => this.#identities.of(folder)))
    return { name: triggerName(triggerRefOf(watch)), path, leadsTo, pattern: watch.trigger.pattern }
  }

  /** What the folders of all triggers were a moment ago. */
  async stops(): Promise<Stops> {
    if (this.#stops && this.#clock.steady() < this.#freshUntil) return this.#stops
    const begin = this.#clock.steady()
    const stops = Promise.all(this.#watches.map((watch) => this.stopOf(watch))).then((all) => {
      const now = this.#clock.steady()
      if (this.#stops === stops) this.#freshUntil = now + Math.max(FRESH_MS, FRESH_TIMES * (now - begin))
      return new Stops(all)
    })
    this.#stops = stops
    this.#freshUntil = Number.POSITIVE_INFINITY
    return stops
  }
}

/** A folder whose file system takes longer to answer is what it was last: nobody waits for it. */
const LATE_MS = 30_000

interface Known {
  identity: FolderIdentity
  asking: Promise<void> | undefined
  isLate: boolean
}

/** What the watched folders are, and those that files are moved to. */
class FolderIdentities {
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
