import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AudienceError, EXIT_CODES } from '../core/errors.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isTestName } from '../daemon/documents/find-pipeline-files.ts'
import { readTests, runTests } from './run-tests.ts'
import type { Terminal } from './terminal.ts'
import { junitOf } from './views/junit.ts'

export interface TestFlags {
  readonly only?: string
  readonly jobs?: number
  readonly junit?: string
  readonly seed: number
  readonly keep?: true
  readonly json?: true
  /** Counts that differ are written anew. */
  readonly update?: true
}

/** Runs tests and prints how they ended; returns 0, 1 if one failed, or 3 if a test file has errors: then none runs. */
export async function testPipelines(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  const tests = readTests(testFiles(paths, terminal), flags, terminal)
  if (!tests) return EXIT_CODES.invalid
  const chosen = tests.filter(({ wanted }) => wanted > 0)
  if (chosen.length === 0) throw noneNamed(flags.only ?? '')
  const interrupted = new AbortController()
  const forget = terminal.onInterrupt(() => interrupted.abort())
  try {
    const { files, isGood } = await runTests(chosen, flags, terminal, interrupted.signal)
    if (interrupted.signal.aborted) return EXIT_CODES.interrupted
    if (flags.junit !== undefined) writeFileSync(resolve(terminal.cwd, flags.junit), junitOf(files, terminal.cwd))
    return isGood ? 0 : EXIT_CODES.failed
  } finally {
    forget()
  }
}

/** The test files that paths name. */
export function testFiles(paths: readonly string[], { cwd }: Pick<Terminal, 'cwd'>): string[] {
  const files = findDocuments(paths.length > 0 ? paths : ['pipelines'], cwd).filter(isTestName)
  if (files.length > 0) return files
  throw new AudienceError({
    code: 'no-tests',
    kind: 'usage',
    message: `there is no test at ${paths.join(', ') || 'pipelines'}`,
    hint: 'tests are in files such as pipelines/nightly.test.yaml, beside the pipeline',
  })
}

function noneNamed(only: string): AudienceError {
  return new AudienceError({
    code: 'no-tests',
    kind: 'usage',
    message: `no test has "${only}" in its name`,
    hint: 'look at the names after `it:`',
  })
}
