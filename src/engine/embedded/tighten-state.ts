import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The database with the files beside it, what the daemon says of itself, and the embedded service. */
const OURS = /^(runs\.db.*|daemon\..*|service)$/

/**
 * Takes what is in a state folder from everybody but its owner: inputs of runs and tokens are in it. The folder itself
 * stays as it is, where somebody has made it. Returns the paths that others could read until now. What belongs to another
 * user is left alone.
 */
export function tightenState(folder: string): readonly string[] {
  return ours(folder).filter((path) => {
    const { mode } = statSync(path)
    if ((mode & 0o077) === 0) return false
    try {
      chmodSync(path, mode & 0o700)
      return true
    } catch {
      return false
    }
  })
}

function ours(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => OURS.test(name))
      .map((name) => join(folder, name))
  } catch {
    // There is no folder yet, or opening the state says what is wrong with it.
    return []
  }
}
