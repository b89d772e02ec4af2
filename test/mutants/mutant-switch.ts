import { appendFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

// Every process of the tests that runs a file with mutants loads this module. It knows which mutant is on, and records
// which tests reach which mutants.
const root = resolve(import.meta.dirname, '../..')
const which = whichIsOn()
const isNoting = which === 'noting'
const on = which === '' ? undefined : Number(which)
/** The mutants that this test file has reached. */
const seen = new Set<number>()
let seenOf: string | undefined
/** Whether the current test file may have changed. Reading the environment takes longer than most steps of a loop. */
let mayHaveChanged = true
const { setImmediate } = globalThis

/** Records that a test reaches the mutant, except while the file is loaded, which happens once for many tests. */
export function isOn(mutant: number, isLoading?: boolean): boolean {
  if (isNoting && !isLoading) note(mutant)
  return on === mutant
}

function note(mutant: number): void {
  if (mayHaveChanged) lookAtFile()
  if (seen.has(mutant)) return
  seen.add(mutant)
  try {
    appendFileSync(join(root, 'mutants-reached'), `${mutant} ${seenOf}\n`)
  } catch {
    // A process that the system limits.
  }
}

function lookAtFile(): void {
  const file = process.env.MUTANTS_TEST_FILE ?? ''
  if (file !== seenOf) seen.clear()
  seenOf = file
  mayHaveChanged = false
  setImmediate(() => {
    mayHaveChanged = true
  }).unref()
}

function whichIsOn(): string {
  try {
    return readFileSync(join(root, 'mutant-on'), 'utf8')
  } catch {
    return ''
  }
}
