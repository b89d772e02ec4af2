import { statSync } from 'node:fs'
import { join } from 'node:path'
import { noState } from './backup-state.ts'
import { openForReading, type ReadDatabase } from './open-for-reading.ts'
import { checkVersion, readFailure } from './open-readable-state.ts'
import { checkFiles } from './open-state.ts'

/**
 * Opens the database of a state folder as it is at this moment, to read its rows. Throws `no-state`,
 * `state-other-version`, `state-damaged` and `state-unreadable`.
 */
export function openSource(folder: string): ReadDatabase {
  const file = join(folder, 'runs.db')
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    checkFiles(file, stats)
    if (!stats) throw noState(folder)
    const source = openForReading(file)
    try {
      checkVersion(source.db, file)
      source.db.exec('BEGIN')
      return source
    } catch (error) {
      source.db.close()
      throw error
    }
  } catch (error) {
    throw readFailure(file, error)
  }
}
