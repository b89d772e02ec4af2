import { appendFileSync } from 'node:fs'

// Loaded into every process of the tests: notes which test file reaches which mutant.
const seen = new Set<string>()

Object.assign(globalThis, {
  mutantReached(mutant: number) {
    const line = `${mutant} ${process.env.MUTANTS_TEST_FILE}\n`
    if (seen.has(line)) return
    seen.add(line)
    appendFileSync(process.env.MUTANTS_REACHED ?? '', line)
  },
})
