import { appendFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

// Loaded into every process of the tests that runs a file with mutants: which of them is on, or who reaches which.
const root = resolve(import.meta.dirname, '../..')
const seen = new Set<string>()
const on = whichIsOn()

/** Notes that a test reaches the mutant, except while the file is loaded: that happens once for many tests. */
export function isOn(mutant: number, isLoading?: boolean): boolean {
  if (on === 'noting' && !isLoading) note(`${mutant} ${process.env.MUTANTS_TEST_FILE ?? ''}\n`)
  return on === String(mutant)
}

function note(line: string): void {
  if (seen.has(line)) return
  seen.add(line)
  try {
    appendFileSync(join(root, 'mutants-reached'), line)
  } catch {
    // A process that the system limits.
  }
}

function whichIsOn(): string {
  try {
    return readFileSync(join(root, 'mutant-on'), 'utf8')
  } catch {
    return ''
  }
}
