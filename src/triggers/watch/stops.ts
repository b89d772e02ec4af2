import type { FolderIdentity } from '../../platform/folder-identity.ts'

/** A watched folder on the way of files. */
export interface Stop {
  /** The trigger, `nightly/drop`. */
  readonly name: string
  readonly path: FolderIdentity
  /** Its folders `done` and `failed`. */
  readonly leadsTo: readonly FolderIdentity[]
  readonly pattern: string
}

/** The watched folders of several triggers, found by what they are: there may be thousands. */
export class Stops {
  readonly #byFolder = new Map<string, Stop[]>()

  constructor(stops: Iterable<Stop> = []) {
    for (const stop of stops) this.add(stop)
  }

  add(stop: Stop): void {
    for (const name of stop.path) {
      const others = this.#byFolder.get(name)
      if (others) others.push(stop)
      else this.#byFolder.set(name, [stop])
    }
  }

  /** Those that watch a folder. */
  at(folder: FolderIdentity): ReadonlySet<Stop> {
    return new Set(folder.flatMap((name) => this.#byFolder.get(name) ?? []))
  }
}
