import { join, relative, resolve } from 'node:path'
import { documentSettings } from '../config/load-settings.ts'
import { AudienceError, InvalidDocumentError, invalidError, usageError } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { printable } from '../core/printable.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isDocumentName } from '../daemon/documents/find-pipeline-files.ts'
import { loadPipeline } from '../pipeline/load-pipeline.ts'
import { baseSince } from '../platform/git-changes.ts'
import { isBelow } from '../platform/is-below.ts'
import { isFile } from '../platform/is-file.ts'
import { realPath } from '../platform/real-path.ts'
import { documentPolicy } from '../policy/document-policy.ts'
import { fileCheck } from '../policy/enforce.ts'
import { type BaseProject, writeBase } from '../rehearsal/simulation/base-project.ts'
import type { SimulatedProject } from '../rehearsal/simulation/simulate.ts'
import { stepTypes } from '../steps/index.ts'
import { changedDocuments } from './changed-documents.ts'
import { readDocument } from './read-document.ts'
import type { Terminal } from './terminal.ts'
import { renderDiagnostics } from './views/render-diagnostics.ts'
import { styleFor } from './views/style.ts'

export type LoadedProject = SimulatedProject & { readonly profile: string }

export interface Request {
  /** The folder of the project, and a folder for temporary files. */
  readonly root: string
  readonly scratch: string
  readonly flags: { readonly changedSince?: string; readonly profile?: string }
  readonly terminal: Terminal
}

/** The project as it is; undefined if a document has errors. With `--changed-since`, also the project as it was. */
export async function projectsOf(
  paths: readonly string[],
  request: Request,
): Promise<{ readonly now: LoadedProject | undefined; readonly base?: LoadedProject | undefined }> {
  const { root, scratch, flags, terminal } = request
  const { cwd, env } = terminal
  const settings = settingsAt(root, request)
  const wanted = paths.length > 0 ? paths : [relative(cwd, settings.pipelines) || '.']
  const { changedSince } = flags
  const base: BaseProject | undefined =
    changedSince === undefined
      ? undefined
      : await writeBase(await baseSince(changedSince, { folder: cwd, env }), root, join(scratch, 'base'))
  const files = documentsAt(wanted, request, base)
  if (!base) return { now: load(files, root, settings, request) }
  const { policy, profiles } = settings
  const changed = changedDocuments(files, base, { policy, values: profiles[0] })
  const now = load(changed, root, settings, request)
  const areWanted = wanted.map((path) => resolve(cwd, path))
  const gone = base.gone.filter((file) => areWanted.some((path) => isBelow(realPath(path), join(root, file))))
  const before = [...changed.map((file) => relative(root, file)), ...gone]
    .map((file) => join(base.root, file))
    .filter(isFile)
  return { now, base: now && load(before, base.root, settingsAt(base.root, request), request) }
}

/** The documents at the paths, by their real paths. If none of them exists any more, no other documents are read. */
function documentsAt(paths: readonly string[], { root, terminal }: Request, base: BaseProject | undefined): string[] {
  const { cwd } = terminal
  const found = base && base.gone.length > 0 ? findOrNone(paths, cwd) : findDocuments(paths, cwd)
  const files = found.filter(isDocumentName).map((file) => realPath(resolve(cwd, file)))
  if (files.length === 0 && !base) throw noDocuments(paths)
  const outside = files.find((file) => !isBelow(root, file))
  if (outside !== undefined) throw outsideOf(relative(cwd, outside), root)
  return [...new Set(files)]
}

function findOrNone(paths: readonly string[], cwd: string): string[] {
  try {
    return findDocuments(paths, cwd)
  } catch (error) {
    if (error instanceof AudienceError && error.code === 'no-documents') return []
    throw error
  }
}

/** The settings of the project. Uses its audience.yaml. Reads no environment variable except AUDIENCE_PROFILE. */
function settingsAt(root: string, { flags: { profile }, terminal: { env } }: Request) {
  return documentSettings({ env: { AUDIENCE_PROFILE: env.AUDIENCE_PROFILE }, cwd: root }, { profile })
}

/**
 * Loads documents. If a current document has errors, they are printed and the result is undefined. A document that has
 * errors at the base is left out and named.
 */
function load(
  files: readonly string[],
  root: string,
  { policy, channels, profiles }: ReturnType<typeof settingsAt>,
  request: Request,
): LoadedProject | undefined {
  const { terminal } = request
  const [values] = profiles
  const isNow = root === request.root
  const pipelines: Pipeline[] = []
  const named = new Map<string, string>()
  let errors = 0
  for (const file of files) {
    const document = readDocument(file)
    const { pipeline, diagnostics } = loadPipeline({
      ...document,
      file,
      stepTypes,
      values,
      readDocument: documentAt,
      channels: () => channels,
      policy: documentPolicy(policy),
    })
    const shown = relative(root, file)
    if (!pipeline) {
      errors += 1
      if (isNow) showErrors(new InvalidDocumentError(shown, document.text, diagnostics), root, terminal)
      else terminal.err.write(`${printable(`${shown} had errors at the base: its schedules count as added`)}\n`)
      continue
    }
    const other = named.get(pipeline.name)
    if (isNow && other !== undefined) throw sameName(pipeline.name, other, shown)
    named.set(pipeline.name, shown)
    pipelines.push(pipeline)
  }
  return isNow && errors > 0 ? undefined : { root, pipelines, profile: values.name, checkFile: fileCheck(policy) }
}

function showErrors({ diagnostics, text }: InvalidDocumentError, root: string, { err, cwd }: Terminal): void {
  const near = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((one) => ({ ...one, at: one.at && { ...one.at, file: relative(cwd, resolve(root, one.at.file)) } }))
  err.write(`${renderDiagnostics(near, text, styleFor(err))}\n`)
}

function noDocuments(paths: readonly string[]): AudienceError {
  return usageError(
    'no-documents',
    `there is no pipeline at ${paths.join(', ')}`,
    'name a pipeline, or a folder that has pipelines; test files do not count',
  )
}

function outsideOf(file: string, root: string): AudienceError {
  return usageError(
    'other-project',
    `${file} is outside the project ${root}`,
    'go to the folder with its audience.yaml, and simulate it there',
  )
}

function sameName(name: string, one: string, other: string): AudienceError {
  return invalidError(
    'same-name',
    `${one} and ${other} have the same name, ${name}: \`audience start\` runs only one of them`,
    'rename one',
  )
}
