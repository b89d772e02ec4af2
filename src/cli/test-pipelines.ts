import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { type AudienceError, EXIT_CODES, usageError } from '../core/errors.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isTestName } from '../daemon/documents/find-pipeline-files.ts'
import { realPath } from '../platform/real-path.ts'
import { leavesTree } from '../policy/allowed-file.ts'
import { readTests, runTests, type TestFlags } from './run-tests.ts'
import { type Terminal, untilInterrupt } from './terminal.ts'
import { junitOf } from './views/junit.ts'

/**
 * Runs tests and prints how they ended. Returns 0, or 1 if one failed. If a test file has errors, runs no test and
 * returns 3.
 */
export async function testPipelines(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  const jobs = flags.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2))
  if (flags.init) {
    const { writeFirstTests } = await import('./write-first-tests.ts')
    return writeFirstTests(paths, { ...flags, jobs }, terminal)
  }
  if (flags.input.length > 0)
    throw usageError('input-without-init', '-i is for --init', 'a test gives inputs itself: run: { inputs: { … } }')
  if (flags.watch) {
    if (flags.junit !== undefined) throw junitOfWatch()
    const { watchTests } = await import('./watch-tests.ts')
    return watchTests(() => testFiles(paths, terminal), { ...flags, jobs }, terminal)
  }
  const tests = readTests(testFiles(paths, terminal), flags, terminal)
  if (!tests) return EXIT_CODES.invalid
  const chosen = tests.filter(({ wanted }) => wanted > 0)
  if (chosen.length === 0)
    throw usageError(
      'no-tests',
      `no test has "${flags.only ?? ''}" in its name`,
      'the name of a test is the text after `it:`',
    )
  using interrupted = untilInterrupt(terminal)
  const { signal } = interrupted
  const { files, isGood } = await runTests(chosen, flags, terminal, { jobs, signal })
  if (signal.aborted) return EXIT_CODES.interrupted
  if (flags.junit !== undefined) writeReport(flags.junit, junitOf(files, terminal.cwd), terminal)
  return isGood ? 0 : EXIT_CODES.failed
}

/** Refuses to follow a link out of the working tree. The author of the tests may have made that link. */
function writeReport(name: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): void {
  const path = resolve(cwd, name)
  if (leavesTree(join(realPath(cwd), relative(cwd, path)), realPath(cwd))) throw reportOutside(name)
  writeFileSync(path, text)
}

function reportOutside(name: string): AudienceError {
  return usageError(
    'file-not-allowed',
    `${name} is, or is below, a link that leads out of this folder; nothing was written`,
    'remove the link, or name another file',
  )
}

/** The test files at some paths. */
function testFiles(paths: readonly string[], { cwd }: Pick<Terminal, 'cwd'>): string[] {
  const files = findDocuments(paths.length > 0 ? paths : ['pipelines'], cwd).filter(isTestName)
  if (files.length > 0) return files
  throw usageError(
    'no-tests',
    `there is no test at ${paths.join(', ') || 'pipelines'}`,
    '`audience test --init pipelines/nightly.yaml` writes a first one beside the pipeline',
  )
}

function junitOfWatch(): AudienceError {
  return usageError(
    'junit-of-watch',
    '--junit and --watch cannot be given together, because --watch has no end',
    'leave one of them out',
  )
}
