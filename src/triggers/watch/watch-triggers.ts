import { atMost, type SteadyClock } from '../../core/clock.ts'
import { triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { type FolderIdentity, folderIdentityOn } from '../../platform/real-path.ts'
import type { Disk } from './disk.ts'
import { type Stop, Stops } from './stops.ts'
import { foldersOf, type Watch } from './watch.ts'

/** How long the identities of all triggers' folders stay valid. */
const FRESH_MS = 1000
/**
 * The identities stay valid this many times longer than it takes to determine them, because with thousands of folders,
 * determining them takes a while.
 */
const FRESH_TIMES = 20

/** All watching triggers, with what each of them needs to know about the others. */
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

  /** The identities of a trigger's folders right now. */
  async stopOf(watch: Watch): Promise<Stop> {
    const [path = [], ...leadsTo] = await Promise.all(foldersOf(watch).map((folder) => this.#identities.of(folder)))
    return { name: triggerName(triggerRefOf(watch)), path, leadsTo, pattern: watch.trigger.pattern }
  }

  /** The identities of all triggers' folders. They may be out of date by a moment. */
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

/**
 * If a file system takes longer to answer, the last known identity of its folder counts, and callers no longer wait for
 * the answer.
 */
const LATE_MS = 30_000

interface Known {
  identity: FolderIdentity
  asking: Promise<void> | undefined
  isLate: boolean
}

/** The identities of the watched folders, and of the folders that files are moved to. */
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
    const { asking } = known
    if (!known.isLate) {
      await atMost(LATE_MS, [asking], this.#clock)
      known.isLate = known.asking === asking
    }
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
}
