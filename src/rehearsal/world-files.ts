import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileSpec } from './test-document.ts'
import type { World } from './world.ts'

/** Writes the files of a world that a test describes; each time a list is written anew, one person of it is another. */
export class WorldFiles {
  readonly #world: World
  readonly #written = new Map<string, number>()

  constructor(world: World) {
    this.#world = world
  }

  async write(name: string, spec: FileSpec | undefined): Promise<void> {
    const { project, time } = this.#world
    const path = project.pathOf(name)
    if (!spec) {
      rmSync(path, { force: true })
      this.#world.touched(dirname(path))
      return
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const aside = join(this.#world.folder, 'aside')
    if ('people' in spec) await this.#writePeople(name, spec, aside)
    else if ('text' in spec) writeFileSync(aside, spec.text)
    else copyFileSync(spec.copy, aside)
    const seconds = time.now() / 1000
    utimesSync(aside, seconds, seconds)
    renameSync(aside, path)
    this.#world.touched(dirname(path))
  }

  async #writePeople(name: string, spec: Extract<FileSpec, { people: number }>, target: string): Promise<void> {
    const drift = this.#written.get(name) ?? 0
    this.#written.set(name, drift + 1)
    const { people, others: unknown, signal, seed = 1 } = spec
    await this.#world.writePeople(target, { signal, rows: people + drift, unknown, seed })
    if (drift === 0) return
    const [header = '', ...rows] = readFileSync(target, 'utf8').split('\n')
    writeFileSync(target, [header, ...rows.slice(drift)].join('\n'))
  }
}
