import { closeSync, existsSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { AudienceError, EXIT_CODES, InvalidDocumentError, usageError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { shellWord } from '../core/shell-word.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isDocumentName } from '../daemon/documents/find-pipeline-files.ts'
import { isFile } from '../platform/is-file.ts'
import { firstTest } from '../rehearsal/first-test.ts'
import { type FileResult, runTestFiles } from '../rehearsal/run-test-files.ts'
import { pipelinesBefore, projectOf, testDeps } from '../rehearsal/test-project.ts'
import type { EventFacts } from '../rehearsal/test-result.ts'
import { testText } from '../rehearsal/test-text.ts'
import { stepTypes } from '../steps/index.ts'
import { readDocument } from './read-document.ts'
import { type Terminal, untilInterrupt } from './terminal.ts'

interface InitFlags {
  readonly input: readonly string[]
  readonly seed: number
  readonly jobs: number
}

/**
 * Writes first tests next to pipelines, each from one rehearsed run. With several pipelines, those that have a test or
 * need more information from a person are left out. Returns 0, or 1 if a run failed or a pipeline that has no test was
 * left out.
 */
export async function writeFirstTests(paths: readonly string[], flags: InitFlags, terminal: Terminal): Promise<number> {
  const { cwd, out } = terminal
  const documents = findDocuments(paths.length > 0 ? paths : ['pipelines'], cwd).filter(isDocumentName)
  if (documents.length === 0) throw notAPipeline(paths.join(', '))
  let code = 0
  let tested = 0
  const drafts = documents.flatMap((document): Draft[] => {
    try {
      return [draftOf(document, flags, terminal)]
    } catch (error) {
      if (!(error instanceof AudienceError) || documents.length === 1) throw error
      if (error.code === HAS_TEST) {
        tested += 1
        return []
      }
      code = EXIT_CODES.failed
      const { hint, message } = error
      out.write(`left out ${document}: ${message}${hint === undefined ? '' : ` (${hint})`}\n`)
      return []
    }
  })
  if (tested > 0) out.write(`${tested} of ${count(documents.length, 'pipeline')} already have a test\n`)
  using interrupted = untilInterrupt(terminal)
  const { signal } = interrupted
  const orders = drafts.map(({ file, root, textWith }) => ({
    file,
    root,
    seed: flags.seed,
    draft: textWith(undefined),
    only: undefined,
    keep: false,
    update: true,
  }))
  let at = 0
  for await (const result of runTestFiles(orders, { jobs: flags.jobs, signal })) {
    const draft = drafts[at++]
    if (signal.aborted) return EXIT_CODES.interrupted
    if (draft && !writeTest(draft, result, terminal)) code = EXIT_CODES.failed
  }
  const [first] = drafts
  const shown = first && (drafts.length === 1 ? ` ${shellWord(relative(cwd, first.file))}` : '')
  if (first && code === 0)
    out.write(`\nNext: read ${drafts.length === 1 ? 'it' : 'them'}, then\n  audience test${shown}\n`)
  return code
}

interface Draft {
  /** Absolute path of the test. */
  readonly file: string
  readonly root: string
  readonly textWith: (facts: EventFacts | undefined) => string
}

/** Throws an AudienceError if the test already exists, or if it needs more information from a person. */
function draftOf(document: string, { input }: InitFlags, { cwd, surroundings }: Terminal): Draft {
  const path = resolve(cwd, document)
  const { text } = readDocument(path)
  const file = path.replace(/\.ya?ml$/, '.test.yaml')
  if (existsSync(file)) throw hasTest(relative(cwd, file))
  const root = projectOf(path)
  const deps = testDeps(root)
  const read = (other: string) => {
    const found = deps.readPipeline(other, undefined)
    return found && 'diagnostics' in found ? found : undefined
  }
  const { pipeline, diagnostics = [] } = read(path) ?? {}
  if (!pipeline) throw new InvalidDocumentError(document, text, diagnostics)
  const first = firstTest(pipeline, {
    now: surroundings.clock.now(),
    inputs: input,
    cwd,
    stepTypes,
    root,
    isFile,
    readList,
    readPipeline: (other) => read(other)?.pipeline,
    before: pipelinesBefore(path, root).flatMap((other) => read(other)?.pipeline ?? []),
    optOuts: deps.optOuts,
  })
  const schema = join(root, 'schemas/test.schema.json')
  const parts = {
    hasChannels: (deps.channels ?? []).length > 0,
    schema: existsSync(schema) ? relative(dirname(file), schema) : undefined,
  }
  return { file, root, textWith: (facts) => testText(first, { ...parts, facts }) }
}

/**
 * Writes what the run did into the test, and reports it. Returns false if the run failed, or if it could not be
 * rehearsed.
 */
function writeTest({ file, textWith }: Draft, { results, broken }: FileResult, { cwd, out }: Terminal): boolean {
  const shown = relative(cwd, file)
  const [result] = results
  const [facts] = result?.facts ?? []
  if (!facts) {
    const why = broken?.message ?? result?.failures[0]?.seen
    out.write(`did not write ${shown}: the pipeline cannot be rehearsed: ${why}\nWrite it by hand: docs/testing.md\n`)
    return false
  }
  writeFileSync(file, textWith(facts), { flag: 'wx' })
  out.write(`wrote ${shown}: ${describe(facts)}\n`)
  const failed = facts.runs.find(({ error }) => error)?.error
  if (failed) out.write(`The run failed: ${failed.message}\n${ON_FAILURE}\n`)
  return failed === undefined
}

const ON_FAILURE =
  'The test expects this failure. If the run should not fail, change what is given in the test, or the pipeline; then remove the test and write it again.'

function describe({ runs }: EventFacts): string {
  const [run, another] = runs
  if (!run) return 'no run'
  if (another) return `${runs.length} runs`
  const [wait] = run.waits
  if (wait) return `a run that waits for ${wait.for === 'partner' ? 'a partner' : 'a person'} at ${wait.step}`
  return `a run that ${run.status === 'running' ? 'continues' : run.status}`
}

/** The rows of a larger file are not counted. */
const MOST_BYTES = 20_000_000

/** A text file with a header and rows; undefined if there is none. */
function readList(path: string): { readonly rows: number; readonly isKeys: boolean } | undefined {
  if (!/\.(csv|tsv|txt)$/i.test(path)) return undefined
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const bytes = Buffer.alloc(MOST_BYTES)
    const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, MOST_BYTES, 0))
    const [header = '', ...rows] = text.trimEnd().split('\n')
    return { rows: rows.length, isKeys: !/[,;\t|]/.test(header) }
  } finally {
    closeSync(file)
  }
}

function notAPipeline(document: string): AudienceError {
  return usageError(
    'not-a-pipeline',
    `${document} is not a pipeline document`,
    'name one, such as pipelines/nightly.yaml; its test is written beside it',
  )
}

const HAS_TEST = 'would-overwrite'

function hasTest(file: string): AudienceError {
  return usageError(HAS_TEST, `${file} already exists; nothing was written`, 'add a test to it, or remove it')
}
