import type { FileHandle } from 'node:fs/promises'
import type { SteadyClock } from '../../core/clock.ts'

/** How long an open folder is shared. Later work opens the folder again, because it may have been replaced. */
const SHARED_MS = 1000

interface Opening<Folder> {
  readonly folder: Promise<Folder>
  openedAt: number | undefined
  users: number
}

/**
 * Open folders. Concurrent work on a folder opens it only once, because opening a folder costs as much as taking a
 * file.
 */
export class SharedOpenings<Folder extends { readonly file: FileHandle }> {
  readonly #clock: Pick<SteadyClock, 'steady'>
  readonly #openFolder: (path: string) => Promise<Folder>
  readonly #openings = new Map<string, Opening<Folder>>()

  constructor(clock: Pick<SteadyClock, 'steady'>, openFolder: (path: string) => Promise<Folder>) {
    this.#clock = clock
    this.#openFolder = openFolder
  }

  isShared(path: string): boolean {
    return this.#shared(path) !== undefined
  }

  async within<T>(path: string, work: (folder: Folder) => Promise<T>): Promise<T> {
    const opening = this.#shared(path) ?? this.#open(path)
    opening.users += 1
    try {
      return await work(await opening.folder)
    } finally {
      opening.users -= 1
      if (opening.users === 0) await this.#close(path, opening)
    }
  }

  #shared(path: string): Opening<Folder> | undefined {
    const opening = this.#openings.get(path)
    if (opening?.openedAt === undefined) return opening
    return this.#clock.steady() - opening.openedAt < SHARED_MS ? opening : undefined
  }

  #open(path: string): Opening<Folder> {
    const opening: Opening<Folder> = {
      folder: this.#openFolder(path).then((folder) => {
        opening.openedAt = this.#clock.steady()
        return folder
      }),
      openedAt: undefined,
      users: 0,
    }
    this.#openings.set(path, opening)
    return opening
  }

  async #close(path: string, opening: Opening<Folder>): Promise<void> {
    if (this.#openings.get(path) === opening) this.#openings.delete(path)
    const folder = await opening.folder.catch(() => undefined)
    await folder?.file.close()
  }
}
