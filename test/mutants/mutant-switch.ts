import { appendFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

// Loaded into every process of the tests that runs a file with mutants: which of them is on, or who reaches which.
const root = resolve(import.meta.dirname, '../..')
const which = whichIsOn()
const isNoting = which === 'noting'
const on = which === '' ? undefined : Number(which)
/** What is noted of this file of tests. */
const seen = new Set<number>()
let seenOf: string | undefined
/** Whether the name of the file may be another one by now. Reading the environment takes longer than most steps of a loop. */
let mayHaveChanged = true
const { setImmediate } = globalThis

/** Notes that a test reaches the mutant, except while the file is loaded: that happens once for many tests. */
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
