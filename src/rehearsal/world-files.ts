import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileSpec } from './test-document.ts'
import type { World } from './world.ts'

/** The number of people in a sample is a multiple of this. */
const SAMPLED = 1_000

/** Writes the files of a test into its world. Each time a list is rewritten, one of its people is replaced. */
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
    const { people, others = 0, signal, seed = 1 } = spec
    // Lists that differ by a few people are parts of one sample.
    const most = Math.ceil((people + drift) / SAMPLED) * SAMPLED
    const [header, ...known] = await this.#sample({ signal, seed, rows: most })
    const [, ...strange] = others > 0 ? await this.#sample({ signal, seed, rows: 0, unknown: others }) : []
    writeFileSync(target, [header, ...known.slice(drift, drift + people), ...strange, ''].join('\n'))
  }

  async #sample(request: Parameters<World['sample']>[0]): Promise<string[]> {
    return readFileSync(await this.#world.sample(request), 'utf8')
      .trimEnd()
      .split('\n')
  }
}
