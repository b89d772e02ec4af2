import { relative, resolve } from 'node:path'
import { InvalidDocumentError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { jsonLine } from '../core/printable.ts'
import { type FileResult, runTestFiles } from '../rehearsal/run-test-files.ts'
import type { TestDocument } from '../rehearsal/test-document.ts'
import { projectOf, readTestFile } from '../rehearsal/test-project.ts'
import type { TestOrder } from '../rehearsal/test-result.ts'
import { updateTestFile } from '../rehearsal/update-expectations.ts'
import type { Terminal } from './terminal.ts'
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
  /** Expected counts that differ are rewritten in the test files. */
  readonly update?: true
  /** Tests run again when their files change, until an interrupt. */
  readonly watch?: true
  /** The paths are pipelines. A first test is written for each of them. */
  readonly init?: true
  readonly input: readonly string[]
}

/** A test file that can be run, and how many of its tests are selected. */
interface ReadTest extends Omit<TestOrder, 'scratch'> {
  readonly document: TestDocument
  readonly wanted: number
}

/** Reads test files; undefined if one has errors, which are printed. */
export function readTests(files: readonly string[], flags: TestFlags, terminal: Terminal): ReadTest[] | undefined {
  const { only = '', seed, keep, update } = flags
  const read = files.map((file) => {
    const path = resolve(terminal.cwd, file)
    const root = projectOf(path)
    const document = readOrPrint(path, root, terminal)
    const wanted = document?.tests.filter(({ it }) => it.includes(only)).length ?? 0
    return document && { file: path, root, document, wanted, only, seed, keep: keep === true, update }
  })
  return read.every((one) => one !== undefined) ? read : undefined
}

function readOrPrint(file: string, root: string, { out, cwd }: Terminal): TestDocument | undefined {
  try {
    return readTestFile(file, root)
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error
    const near = error.diagnostics.map((one) => ({
      ...one,
      at: one.at && { ...one.at, file: relative(cwd, one.at.file) },
    }))
    out.write(`${renderDiagnostics(near, error.text, styleFor(out))}\n`)
    return undefined
  }
}

/** Runs tests and prints how they ended. Leaves out interrupted tests. */
export async function runTests(
  tests: readonly ReadTest[],
  flags: TestFlags,
  { out, cwd }: Terminal,
  { jobs, signal }: { jobs: number; signal: AbortSignal },
): Promise<{ readonly files: readonly FileResult[]; readonly isGood: boolean }> {
  const all: FileResult[] = []
  const orders = tests.map(({ document: _, wanted: __, ...order }) => order)
  for await (const ran of runTestFiles(orders, { jobs, signal })) {
    if (signal.aborted) break
    const test = tests[all.length]
    const result = test && flags.update ? updateTestFile(ran, test) : ran
    all.push(result)
    if (flags.json) for (const line of linesOf(result)) out.write(`${jsonLine(line)}\n`)
    else for (const line of renderTests(result, { cwd, style: styleFor(out) })) out.write(`${line}\n`)
  }
  const results = all.flatMap((file) => file.results)
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const broken = all.filter((file) => file.broken).length
  if (!flags.json && !signal.aborted) {
    const updated = results.flatMap((result) => result.updated ?? []).length
    const ended = `${count(results.length, 'test')} in ${count(all.length, 'file')}: ${results.length - failed} passed, ${failed} failed`
    const more = [
      broken > 0 && `the tests of ${count(broken, 'file')} did not end`,
      updated > 0 && `${count(updated, 'expectation')} rewritten`,
    ]
    out.write(`${[ended, ...more.filter((one) => one !== false)].join('; ')}\n`)
  }
  return { files: all, isGood: failed + broken === 0 }
}

function* linesOf({ file, results, broken }: FileResult): Generator<object> {
  for (const { it, at, failures, updated, requests, open, livedMs, digest, kept } of results)
    yield {
      event: 'test',
      file,
      test: it,
      line: at.line,
      status: failures.length > 0 ? 'failed' : 'passed',
      failures,
      updated,
      requests,
      open,
      livedMs,
      digest,
      kept,
    }
  if (broken) yield { event: 'broken', file, ...broken }
}
