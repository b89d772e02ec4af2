import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of promtool, which tests the rules for Prometheus; undefined if there is none. */
export function findPromtool(): string | undefined {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'promtool'))
    .find(existsSync)
  if (found === undefined && process.env.REQUIRE_PROMTOOL)
    throw new Error('REQUIRE_PROMTOOL=1, but there is no promtool; install it (apt-get install prometheus)')
  return found
}
