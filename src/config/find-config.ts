import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const CONFIG_NAME = 'audience.yaml'

/** The nearest audience.yaml, from a folder upwards; undefined when there is none. */
export function findConfig(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    const file = join(here, CONFIG_NAME)
    if (existsSync(file)) return file
    if (here === dirname(here)) return undefined
  }
}
