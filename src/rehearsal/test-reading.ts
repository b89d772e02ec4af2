import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import type { UnreadText } from '../core/decode-text.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { type DocumentNode, type Entry, entriesOf, type Span, textOf } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import { type FilesOfMachine, missingFile, otherName } from '../pipeline/check-files-exist.ts'
import type { ExpressionChecker } from '../pipeline/expression-checker.ts'
import type { TemplateReader } from '../pipeline/template-reader.ts'
import { isBelow } from '../platform/is-below.ts'
import { realPath } from '../platform/real-path.ts'
import { isInside, isOfGit } from '../policy/allowed-file.ts'

/** What a test needs besides its text. */
export interface TestDeps {
  /** Absolute path of the folder of the project. No file of a test is outside it. */
  root: string
  /** What to do about a file outside it. */
  outsideHint: string
  stepTypes: ReadonlyMap<string, StepType>
  /**
   * The document at an absolute path, read for a profile, or why it cannot be read; undefined if there is no document.
   */
  readPipeline: (
    file: string,
    profile: string | undefined,
  ) => { pipeline?: Pipeline; diagnostics: readonly Diagnostic[] } | UnreadText | undefined
  /** The channels of audience.yaml; undefined without an audience.yaml, in which case they are not checked. */
  channels: readonly string[] | undefined
  /** Absolute paths of the opt-out lists of audience.yaml. */
  optOuts: readonly string[]
  /** The profiles that exist. */
  profiles: readonly string[]
  files: FilesOfMachine
  /** What is wrong with the network.yaml at an absolute path. */
  networkProblems: (file: string) => readonly Diagnostic[]
}

/** What is needed to read the parts of a test document. */
export interface Reading {
  readonly deps: TestDeps
  readonly reporter: DiagnosticCollector
  readonly templates: TemplateReader
  readonly checker: ExpressionChecker
  /** The names that checks read. */
  readonly names: Names
  /** Absolute path of the folder of the test document. */
  readonly folder: string
  /** Absolute path of the folder of the tested document. */
  readonly pipelineFolder: string
  /** Undefined if there is no valid pipeline. That has been reported, and nothing is checked against it. */
  readonly pipeline: Pipeline | undefined
}

/** Returns the absolute path of a file by its name. Reports a name that no file of a project can have. */
export function projectPath(
  name: string,
  folder: string,
  at: Span,
  { deps, reporter }: Pick<Reading, 'deps' | 'reporter'>,
): string | undefined {
  const path = resolve(folder, name)
  const problem = isAbsolute(name)
    ? { message: `${name} is an absolute path`, hint: 'name it relative to its folder: a test runs on any machine' }
    : isBelow(deps.root, path)
      ? undefined
      : { message: `${name} is outside the project`, hint: deps.outsideHint }
  if (problem) reporter.error({ code: 'file-not-allowed', ...problem }, at)
  else if (/\p{Cc}/u.test(name) || /(^|\/)\.{0,2}$/.test(name) || path === deps.root)
    reporter.wrongValue(`${JSON.stringify(name)} cannot be the name of a file`, at)
  else return path
  return undefined
}

/** The absolute path of a file that must be there, relative to the test document. */
export function existingFile(node: DocumentNode | undefined, reading: Pick<Reading, 'deps' | 'reporter' | 'folder'>) {
  const name = textOf(node)
  if (!node || name === undefined || name === '') return undefined
  const { folder, reporter, deps } = reading
  const path = projectPath(name, folder, node, reading)
  if (path === undefined) return undefined
  if (isOutside(path, deps.root)) {
    const message = `${name} leads outside the project`
    reporter.error({ code: 'file-not-allowed', message, hint: deps.outsideHint }, node)
    return undefined
  }
  if (deps.files.isFile(path)) return path
  const hint =
    otherName(name, basename(path), deps.files.namesIn(dirname(path))) ??
    'the path is relative to the folder of this document'
  reporter.error(missingFile(name, hint, deps.files.whyUnseen(path)), node)
  return undefined
}

/**
 * Whether a path leads out of a project, or into git's own files. The authors of a project also wrote its links, so a
 * link may lead anywhere.
 */
export function isOutside(path: string, root: string): boolean {
  return !isInside(path, [root]) || isOfGit(relative(realPath(root), realPath(path)))
}

/**
 * Returns the key of a map that is one of the given keys. Reports a problem if the map has several of them, or none.
 */
export function onlyKey<const Name extends string>(
  node: DocumentNode,
  names: readonly Name[],
  reporter: DiagnosticCollector,
): { readonly name: Name; readonly entry: Entry } | undefined {
  const [first, second] = keysAmong(node, names)
  if (second) {
    reporter.wrongValue(`only one of ${names.join(', ')} is allowed here`, second.entry.key, `leave ${second.name} out`)
    // A missing key is reported only if the map has no other error, because an unknown key may stand for one of these.
  } else if (!first && node.kind === 'map' && !reporter.hasErrorIn(node)) {
    reporter.error({ code: 'missing-key', message: `one of ${names.join(', ')} is required here` }, node)
  }
  return first
}

/** The keys of a map that are in a list of names, in the order of the map. */
export function keysAmong<const Name extends string>(node: DocumentNode, names: readonly Name[]) {
  return entriesOf(node).flatMap(([key, entry]) => {
    const name = names.find((one) => one === key)
    return name === undefined ? [] : [{ name, entry }]
  })
}

export function numberIn(node: DocumentNode | undefined): number | undefined {
  if (node?.kind !== 'scalar') return undefined
  return typeof node.value === 'bigint' || typeof node.value === 'number' ? Number(node.value) : undefined
}
