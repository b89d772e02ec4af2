import { linkSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../core/code-of.ts'

/**
 * Links the files of people that are complete from one folder into another. Making them takes seconds, they never change,
 * and two processes cannot fill one folder: so each has its own, and they give each other what is there.
 */
export function linkPeople(from: string, to: string): void {
  mkdirSync(from, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.part')) continue
    const source = join(entry.parentPath, entry.name)
    const target = join(to, source.slice(from.length + 1))
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    try {
      linkSync(source, target)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}
