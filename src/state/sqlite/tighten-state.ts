import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The database with the files next to it, the status file of the daemon, the fingerprints, and the embedded service.
 */
const OURS = /^(runs\.db.*|daemon\..*|membership|service)$/

/**
 * Restricts the contents of a state folder to the owner, because they include tokens and the inputs of runs. The folder
 * itself stays unchanged if a person created it. Returns the paths that others could read until now. Files of another
 * user stay unchanged. So do the targets of links, which a copy of a state may contain.
 */
export function tightenState(folder: string): readonly string[] {
  return ours(folder).filter((path) => {
    const stats = lstatSync(path)
    // Changes the mode without opening the file, because closing a database file releases its locks. Nobody else can
    // replace it.
    const isOurs = stats.isDirectory() || (stats.isFile() && stats.nlink === 1)
    if (!isOurs || (stats.mode & 0o077) === 0) return false
    try {
      chmodSync(path, stats.mode & 0o700)
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
    // The folder does not exist yet, or opening the state reports the problem.
    return []
  }
}
