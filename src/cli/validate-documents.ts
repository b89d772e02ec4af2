import { relative, resolve } from 'node:path'
import { type DocumentSettings, documentSettings } from '../config/load-settings.ts'
import { undeclaredInputs } from '../config/profile-values.ts'
import type { FileSignal } from '../contract/enumerations.ts'
import type { DecodedText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { AudienceError, EXIT_CODES } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { jsonLine } from '../core/printable.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isTestName } from '../daemon/documents/find-pipeline-files.ts'
import { otherPipelines, pipelinesIn } from '../daemon/documents/other-pipelines.ts'
import { createTogetherCheck } from '../pipeline/check-across-documents.ts'
import { preparedSignalsOf } from '../pipeline/check-prepared.ts'
import { loadPipeline } from '../pipeline/load-pipeline.ts'
import { isFile, whyUnseen } from '../platform/is-file.ts'
import { namesIn } from '../platform/names-in.ts'
import { documentPolicy } from '../policy/document-policy.ts'
import { loadTest } from '../rehearsal/read-test.ts'
import { projectOf, testDeps } from '../rehearsal/test-project.ts'
import type { TestDeps } from '../rehearsal/test-reading.ts'
import { stepTypes } from '../steps/index.ts'
import { checkOptOuts } from './check-opt-outs.ts'
import { readDocument } from './read-document.ts'
import type { Terminal } from './terminal.ts'
import { githubAnnotation } from './views/github-annotation.ts'
import { renderDiagnostics } from './views/render-diagnostics.ts'
import { styleFor } from './views/style.ts'

export interface ValidateFlags {
  readonly format: 'text' | 'json' | 'github'
  readonly strict?: true
  /** The profile to check for; `all`: each profile of audience.yaml. */
  readonly profile?: string
}

/** Checks documents and prints their problems; returns 0, or 3 if there is an error or, with `--strict`, a warning. */
export async function validateDocuments(
  paths: readonly string[],
  flags: ValidateFlags,
  terminal: Terminal,
): Promise<number> {
  const files = findDocuments(paths.length > 0 ? paths : ['pipelines'], terminal.cwd)
  const settings = documentSettings(terminal, flags.profile === 'all' ? 'all' : flags)
  const { profiles, found } = settings
  const deps = {
    stepTypes,
    readDocument: documentAt,
    channels: () => settings.channels,
    files: { isFile, whyUnseen, namesIn },
    policy: documentPolicy(settings.policy, { strict: flags.strict === true }),
    others: otherPipelines(() => pathsOf(files, settings, terminal)),
  }
  const checks = profiles.map((values) => ({ values, checkAcrossDocuments: createTogetherCheck() }))
  const depsOf = depsOfTests(terminal.cwd)
  const declared = new Set<string>()
  const signals = new Set<FileSignal>()
  let errors = 0
  let warnings = 0
  const show = (diagnostics: readonly Diagnostic[], text: string) => {
    errors += diagnostics.filter(({ severity }) => severity === 'error').length
    warnings += diagnostics.filter(({ severity }) => severity === 'warning').length
    if (diagnostics.length > 0) terminal.out.write(`${shown(diagnostics, text, flags, terminal)}\n`)
  }
  for (const file of files) {
    const { problem, ...document } = readAmong(files, file)
    if (isTestName(file)) {
      show(problem ? [problem] : loadTest({ ...document, file }, depsOf(file)).diagnostics, document.text)
      continue
    }
    const byProfile = checks.map(({ values, checkAcrossDocuments }) => {
      const { pipeline, diagnostics } = problem
        ? { pipeline: undefined, diagnostics: [problem] }
        : loadPipeline({ ...document, file, ...deps, values })
      for (const name of Object.keys(pipeline?.inputs ?? {})) declared.add(name)
      for (const signal of pipeline ? preparedSignalsOf(pipeline) : []) signals.add(signal)
      return [...diagnostics, ...(pipeline ? checkAcrossDocuments(pipeline) : [])]
    })
    show(ofProfiles(profiles, byProfile), document.text)
  }
  if (found) {
    const source = { file: relative(terminal.cwd, found.file), text: found.text }
    // Checked only if all documents were read without errors, because another document may declare an input that these
    // do not declare.
    if (errors === 0 && isAll(files, settings, terminal)) show(undeclaredInputs(source, profiles, declared), found.text)
    show(await checkOptOuts(source, settings, [...signals]), found.text)
  }
  if (flags.format === 'text') terminal.out.write(`${summary(files, errors, warnings)}\n`)
  return errors > 0 || (flags.strict && warnings > 0) ? EXIT_CODES.invalid : 0
}

/** A problem that all profiles have is reported once; a problem that only some profiles have names those profiles. */
function ofProfiles(
  profiles: readonly ProfileValues[],
  found: readonly (readonly Diagnostic[])[],
): readonly Diagnostic[] {
  const keyOf = (diagnostic: Diagnostic) => JSON.stringify(diagnostic)
  const keys = found.map((diagnostics) => new Set(diagnostics.map(keyOf)))
  const isOfAll = (diagnostic: Diagnostic) => keys.every((known) => known.has(keyOf(diagnostic)))
  const [first = []] = found
  const ofSome = found.flatMap((diagnostics, at) =>
    diagnostics
      .filter((diagnostic) => !isOfAll(diagnostic))
      .map((diagnostic) => ({ ...diagnostic, message: `${diagnostic.message} (profile ${profiles[at]?.name})` })),
  )
  return [...first.filter(isOfAll), ...ofSome]
}

/** Whether the documents include all documents of the pipelines folder. */
function isAll(files: readonly string[], { pipelines }: DocumentSettings, { cwd }: Terminal): boolean {
  const absolute = new Set(files.map((file) => resolve(cwd, file)))
  return pipelinesIn(pipelines).every((file) => absolute.has(file))
}

/** The paths of these documents and of the documents in the pipelines folder, each with the path to show. */
function pathsOf(
  files: readonly string[],
  { pipelines }: DocumentSettings,
  { cwd }: Terminal,
): ReadonlyMap<string, string> {
  const paths = new Map(pipelinesIn(pipelines).map((path) => [path, relative(cwd, path)]))
  for (const file of files) if (!isTestName(file)) paths.set(resolve(cwd, file), file)
  return paths
}

/**
 * Reads one of several documents. If it cannot be read, the error becomes its problem, and the others are still
 * checked.
 */
function readAmong(files: readonly string[], file: string): DecodedText & { readonly problem?: Diagnostic } {
  try {
    return readDocument(file)
  } catch (error) {
    if (files.length === 1 || !(error instanceof AudienceError)) throw error
    const { code, message, hint } = error
    const at = { file, line: 1, column: 1 }
    return { text: '', problem: { severity: 'error', code, message, hint, at } }
  }
}

function shown(diagnostics: readonly Diagnostic[], text: string, { format }: ValidateFlags, { out }: Terminal): string {
  switch (format) {
    case 'text':
      return renderDiagnostics(diagnostics, text, styleFor(out))
    case 'json':
      return diagnostics.map((diagnostic) => jsonLine(flat(diagnostic))).join('\n')
    case 'github':
      return diagnostics.map(githubAnnotation).join('\n')
  }
}

/** One line of `--format json`. The names are a contract: other programs use them. */
function flat({ at, severity, code, message, hint }: Diagnostic) {
  return {
    file: at?.file,
    line: at?.line,
    column: at?.column,
    severity,
    code,
    message,
    hint,
  }
}

function summary(files: readonly string[], errors: number, warnings: number): string {
  const tests = files.filter(isTestName).length
  const pipelines = files.length - tests
  const kinds = [
    ...(pipelines > 0 ? [count(pipelines, 'pipeline')] : []),
    ...(tests > 0 ? [count(tests, 'test file')] : []),
  ]
  const documents = kinds.join(' and ')
  return errors + warnings === 0
    ? `${documents}, nothing wrong`
    : `${documents}, ${count(errors, 'error')}, ${count(warnings, 'warning')}`
}

/** What test files depend on, determined once for a project. */
function depsOfTests(cwd: string): (file: string) => TestDeps {
  const known = new Map<string, TestDeps>()
  return (file) => {
    const root = projectOf(resolve(cwd, file))
    const deps = known.get(root) ?? testDeps(root)
    known.set(root, deps)
    return deps
  }
}
