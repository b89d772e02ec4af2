import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of the files below a folder; files that disappear in the meantime do not count. */
export function folderSize(folder: string): number {
  let names: string[]
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return 0
  }
  return names.reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (stats?.isFile() ? stats.size : 0)
  }, 0)
}
