import { readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GitSettings } from '../../config/pipelines-config.ts'
import type { Settings } from '../../config/settings.ts'
import { decodeText } from '../../core/decode-text.ts'
import { AudienceError, InvalidDocumentError, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { messageOf } from '../../core/message-of.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import { fileCheck } from '../../policy/enforce.ts'
import type { DeployProblem } from '../../state/deployments.ts'
import { isDocumentName } from '../documents/find-pipeline-files.ts'
import type { LiveDocument, ReadDocument } from '../documents/live-documents.ts'

/** The documents of a commit, all of them valid. */
export interface Release {
  readonly commit: string
  /** Its files, by their paths, with the ids of their blobs. */
  readonly files: ReadonlyMap<string, string>
  readonly byPath: ReadonlyMap<string, Pipeline>
  /** By the name of the pipeline. */
  readonly documents: ReadonlyMap<string, LiveDocument>
}

export interface ReleaseRules {
  readonly read: ReadDocument
  /** Throws if the policy forbids a folder. */
  readonly checkFile: (path: string) => void
  /** The folder that the relative paths of watched folders start from. */
  readonly workdir: string | undefined
  /** The folder in the repository, shown before the paths of files. */
  readonly path: string
}

/** The settings of the deployment; throws if the pipelines are in a folder. */
export function deploymentOf({ deployment }: Pick<Settings, 'deployment'>): GitSettings {
  if (deployment) return deployment
  throw usageError(
    'no-deployment',
    'the pipelines are in a folder, and are not deployed from git',
    'give `pipelines: { git: { url: … } }` in audience.yaml; docs/deployment.md shows how',
  )
}

/** How the documents of a release are read under these settings; `read` reads one document. */
export function releaseRules(settings: Settings, read: ReadDocument): ReleaseRules {
  const { path, workdir } = deploymentOf(settings)
  return { read, checkFile: fileCheck(settings.policy), workdir, path }
}

const MOST_DOCUMENTS = 10_000

/**
 * Reads all documents of a release, or returns all problems. Documents that are the same in the previous release are
 * not read again. `at` is where the files are now; the documents are reported as being in `folder`.
 */
export async function readRelease(
  release: {
    commit: string
    folder: string
    at?: string
    files: ReadonlyMap<string, string>
    before: Release | undefined
  },
  rules: ReleaseRules,
): Promise<{ readonly release: Release } | { readonly problems: readonly DeployProblem[] }> {
  const { commit, folder, at = folder, files, before } = release
  const { read, workdir } = rules
  const shown = (path: string) => (rules.path === '' ? path : `${rules.path}/${path}`)
  const problems: DeployProblem[] = []
  const paths = [...files.keys()].filter((path) => isDocumentName(path)).sort()
  if (paths.length > MOST_DOCUMENTS) {
    const message = `there are more than ${count(MOST_DOCUMENTS, 'document')}`
    return { problems: [{ file: shown('.'), code: 'deploy-too-large', message }] }
  }
  const isSame = sameAs(before, files)
  const byPath = new Map<string, Pipeline>()
  for (const path of paths) {
    const known = isSame(path)
    if (known) {
      byPath.set(path, { ...known, file: join(folder, path) })
      continue
    }
    await nextTurn()
    try {
      const file = join(at, path)
      const pipeline = read({ ...decodeText(readFileSync(file)), file })
      byPath.set(path, { ...pipeline, file: join(folder, path) })
    } catch (error) {
      const without = (text: string) => text.replaceAll(`${at}/`, shown('x').slice(0, -1))
      problems.push(...problemsOf(shown(path), error, without))
    }
  }
  const documents = new Map<string, LiveDocument>()
  for (const [path, pipeline] of byPath) {
    const other = documents.get(pipeline.name)
    if (other) {
      const its = shown(other.file.slice(folder.length + 1))
      const message = `the pipeline ${pipeline.name} is already in ${its}`
      problems.push({ file: shown(path), code: 'deploy-invalid', message, hint: 'give one of them another name' })
      continue
    }
    const place = workdir === undefined ? dirname(pipeline.file) : join(workdir, dirname(path))
    problems.push(...folderProblems(pipeline, place, shown(path), rules))
    documents.set(pipeline.name, { pipeline, folder: place, file: pipeline.file })
  }
  return problems.length > 0 ? { problems } : { release: { commit, files, byPath, documents } }
}

/** Returns the document of the previous release, if nothing that it depends on has changed. */
function sameAs(
  before: Release | undefined,
  files: ReadonlyMap<string, string>,
): (path: string) => Pipeline | undefined {
  if (!before) return () => undefined
  const paths = new Set([...before.files.keys(), ...files.keys()])
  const changed = [...paths].filter((path) => before.files.get(path) !== files.get(path))
  const hasOtherDocuments = changed.some(isDocumentName)
  const names = changed.filter((path) => !isDocumentName(path)).map((path) => basename(path))
  return (path) => {
    const known = before.files.get(path) === files.get(path) ? before.byPath.get(path) : undefined
    if (!known) return undefined
    // The pipelines that it runs may have become valid or invalid, and a file that it names may be gone.
    if (hasOtherDocuments && known.text.includes('pipelines.run')) return undefined
    return names.some((name) => known.text.includes(name)) ? undefined : known
  }
}

function folderProblems(
  { triggers }: Pipeline,
  folder: string,
  file: string,
  { workdir, checkFile }: ReleaseRules,
): readonly DeployProblem[] {
  const watches = triggers.filter((trigger) => trigger.kind === 'watch')
  return watches.flatMap(({ at: { line, column }, path, done, failed }) => {
    const folders = [path, done, failed]
    const relative = folders.find((each) => !isAbsolute(each))
    if (relative !== undefined && workdir === undefined) {
      const message = `the watched folder ${relative} is relative, so each deployment would move it`
      const hint = 'give pipelines.git.workdir in audience.yaml, or write an absolute path'
      return [{ file, line, column, code: 'deploy-invalid', message, hint }]
    }
    try {
      for (const each of folders) checkFile(resolve(folder, each))
      return []
    } catch (error) {
      return [{ file, line, column, code: 'deploy-invalid', message: messageOf(error) }]
    }
  })
}

function problemsOf(file: string, error: unknown, without: (text: string) => string): DeployProblem[] {
  if (!(error instanceof InvalidDocumentError)) {
    const code = error instanceof AudienceError ? error.code : 'document-unreadable'
    return [{ file, code, message: without(messageOf(error)) }]
  }
  return error.diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ at, code, message, hint }) => ({
      file: at ? without(at.file) : file,
      line: at?.line,
      column: at?.column,
      code,
      message: without(message),
      hint: hint === undefined ? undefined : without(hint),
    }))
}
