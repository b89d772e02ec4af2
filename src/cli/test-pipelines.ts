import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { AudienceError, EXIT_CODES, InvalidDocumentError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { printableJson } from '../core/printable.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isTestName } from '../daemon/documents/find-pipeline-files.ts'
import { type FileResult, runTestFiles } from '../rehearsal/run-test-files.ts'
import type { TestOrder } from '../rehearsal/test-orders.ts'
import { projectOf, readTestFile } from '../rehearsal/test-project.ts'
import type { Terminal } from './terminal.ts'
import { junitOf } from './views/junit.ts'
import { renderDiagnostics } from './views/render-diagnostics.ts'
import { renderTests } from './views/render-tests.ts'
import { styleFor } from './views/style.ts'

export interface TestFlags {
  readonly only?: string
  readonly jobs?: number
  readonly junit?: string
  readonly seed: number
  readonly keep?: true
  readonly json?: true
}

/** Runs tests and prints how they ended; returns 0, 1 if one failed, or 3 if a test file has errors: then none runs. */
export async function testPipelines(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  const { out, cwd } = terminal
  const files = findDocuments(paths.length > 0 ? paths : ['pipelines'], cwd).filter(isTestName)
  if (files.length === 0) throw noTests(paths)
  const orders = files.map((file) => orderOf(file, flags, terminal))
  const wanted = orders.map((order) => countWanted(order, flags, terminal))
  if (wanted.some((found) => found === 'invalid')) return EXIT_CODES.invalid
  const chosen = orders.filter((_, at) => wanted[at] !== 0)
  if (chosen.length === 0) throw noneNamed(flags.only ?? '')
  const interrupted = new AbortController()
  const forget = terminal.onInterrupt(() => interrupted.abort())
  const jobs = flags.jobs ?? Math.max(1, Math.floor(availableParallelism() / 2))
  const all: FileResult[] = []
  try {
    for await (const result of runTestFiles(chosen, { jobs, signal: interrupted.signal })) {
      if (interrupted.signal.aborted) break
      all.push(result)
      if (flags.json) for (const line of linesOf(result)) out.write(`${printableJson(JSON.stringify(line))}\n`)
      else for (const line of renderTests(result, { cwd, style: styleFor(out) })) out.write(`${line}\n`)
    }
  } finally {
    forget()
  }
  if (interrupted.signal.aborted) return EXIT_CODES.interrupted
  if (flags.junit !== undefined) writeFileSync(resolve(cwd, flags.junit), junitOf(all, cwd))
  const results = all.flatMap((file) => file.results)
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const broken = all.filter((file) => file.broken).length
  const ended = `${count(results.length, 'test')} in ${count(chosen.length, 'file')}: ${results.length - failed} passed, ${failed} failed`
  if (!flags.json) out.write(`${ended}${broken > 0 ? `; ${count(broken, 'file')} did not end` : ''}\n`)
  return failed + broken > 0 ? EXIT_CODES.failed : 0
}

function orderOf(file: string, { only, seed, keep }: TestFlags, { cwd }: Terminal): Omit<TestOrder, 'scratch'> {
  const path = resolve(cwd, file)
  return { file: path, root: projectOf(path), only, seed, keep: keep === true }
}

/** How many tests of a file are wanted; if the file has errors, they are printed. */
function countWanted(
  { file, root }: Pick<TestOrder, 'file' | 'root'>,
  { only = '' }: TestFlags,
  { out, cwd }: Terminal,
): number | 'invalid' {
  try {
    return readTestFile(file, root).tests.filter(({ it }) => it.includes(only)).length
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error
    const near = error.diagnostics.map((one) => ({
      ...one,
      at: one.at && { ...one.at, file: relative(cwd, one.at.file) },
    }))
    out.write(`${renderDiagnostics(near, error.text, styleFor(out))}\n`)
    return 'invalid'
  }
}

function* linesOf({ file, results, broken }: FileResult): Generator<object> {
  for (const { it, at, failures, requests, livedMs, digest, kept } of results)
    yield {
      event: 'test',
      file,
      test: it,
      line: at.line,
      status: failures.length > 0 ? 'failed' : 'passed',
      failures,
      requests,
      livedMs,
      digest,
      kept,
    }
  if (broken) yield { event: 'broken', file, ...broken }
}

function noTests(paths: readonly string[]): AudienceError {
  return new AudienceError({
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
