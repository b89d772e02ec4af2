import { dirname, relative, sep } from 'node:path'
import { consoleFolder, membershipFolder, type Settings, uploadsFolder } from '../config/settings.ts'
import { AudienceError, WrongFieldsError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { InputDeclaration, Pipeline } from '../core/pipeline.ts'
import type { Policy } from '../core/policy.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { type LiveDocument, triggersOf } from '../daemon/documents/live-documents.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { WrongInputError, wrongInput } from '../pipeline/wrong-input.ts'
import { isBelow } from '../platform/is-below.ts'
import { isFile, whyUnseen } from '../platform/is-file.ts'
import { realPath } from '../platform/real-path.ts'
import { fileCheck } from '../policy/enforce.ts'
import { foldersOf as watchFoldersOf } from '../triggers/watch/watch.ts'

/**
 * The inputs of a run that a person gives as `key=value` on this machine, typed and with defaults. The person may name
 * every file that the policy allows. Throws what `resolveInputs` throws. With `keepMissing`, a file need not exist.
 */
export function inputsOfCommandLine(
  pipeline: Pipeline,
  given: readonly string[],
  { policy, ...options }: { policy: Policy; cwd: string; keepMissing?: true },
): JsonObject {
  const files = { exists: isFile, whyUnseen, read: documentAt, checkFile: fileCheck(policy) }
  return resolveInputs(pipeline, { given, ...files, ...options })
}

interface GivenDeps {
  settings: Settings
  /** The current pipelines, by name. */
  documents(): ReadonlyMap<string, LiveDocument>
}

/**
 * The inputs of a run that somebody starts from another machine, typed and with defaults. A file is an input only if
 * such a person may name it. Throws `wrong-inputs` with a sentence for each wrong input.
 */
export function inputsOfRequest(
  deps: GivenDeps,
  pipeline: Pipeline,
  given: Readonly<Record<string, unknown>>,
  options: { keepMissing?: true } = {},
): JsonObject {
  const wrong = new Map<string, string>()
  const inputs: Record<string, Json> = {}
  for (const name of Object.keys(given))
    if (!Object.hasOwn(pipeline.inputs, name)) wrong.set(name, `the pipeline ${pipeline.name} has no such input`)
  const policy = fileCheck(deps.settings.policy)
  for (const [name, declaration] of Object.entries(pipeline.inputs)) {
    const value = Object.hasOwn(given, name) ? exact(declaration, given[name] as Json) : undefined
    const isGiven = value !== undefined
    const sources = {
      values: value === undefined ? undefined : { [name]: value },
      cwd: dirname(pipeline.file),
      // A missing file and a forbidden file get the same message, so the message does not reveal which files exist.
      exists: (path: string) => isFile(path) && (!isGiven || isReachable(path, deps)),
      notThere: (path: string, part: string) =>
        !isGiven || (options.keepMissing && isReachable(path, deps)) ? undefined : notReachable(part),
      whyUnseen,
      checkFile: policy,
      ...options,
    }
    try {
      Object.assign(inputs, resolveInputs({ ...pipeline, inputs: { [name]: declaration } }, sources))
    } catch (error) {
      if (!(error instanceof AudienceError)) throw error
      const parts = error instanceof WrongInputError ? Object.entries(error.parts) : []
      for (const [part, sentence] of parts.length > 0 ? parts : [[name, error.message] as const])
        wrong.set(part, sentence)
    }
  }
  const [message] = wrong.values()
  if (message === undefined) return inputs
  throw new WrongFieldsError('wrong-inputs', message, Object.fromEntries(wrong))
}

type Declared = Pick<InputDeclaration, 'type' | 'items'>

/** An integer that a JSON number cannot hold arrives as text. */
function exact({ type, items = 'string' }: Declared, value: Json): Json {
  if (type === 'integer') return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : value
  if (type !== 'list' || !Array.isArray(value)) return value
  return value.map((item: Json) => {
    if (typeof items === 'string') return exact({ type: items }, item)
    if (!isJsonObject(item)) return item
    const fields = Object.entries(item).map(([name, part = null]) => {
      const field = Object.hasOwn(items, name) ? items[name] : undefined
      return [name, field ? exact(field, part) : part]
    })
    return Object.fromEntries(fields) as JsonObject
  })
}

/**
 * Whether a person or a program may name this file as an input. After links are followed, the file must be in the
 * pipelines folder, in a watched folder or among the uploads. Otherwise it could be any file that this process can
 * read. Hidden files, and all other files of the state, are not allowed.
 */
function isReachable(path: string, deps: GivenDeps): boolean {
  const real = realPath(path)
  const isIn = (folder: string) => {
    const way = relative(realPath(folder), real)
    return way !== '' && !way.split(sep).some((part) => part.startsWith('.'))
  }
  const { settings } = deps
  const ownFolders = [settings.state, membershipFolder(settings), consoleFolder(settings)]
  const isOwn = ownFolders.some((folder) => isBelow(realPath(folder), real))
  return isIn(uploadsFolder(settings)) || (!isOwn && foldersOf(deps).some(isIn))
}

function notReachable(part: string): WrongInputError {
  const message = `the input ${part} must name a file in the pipelines folder or in a watched folder, or one that was uploaded`
  return wrongInput('file-not-reachable', message, undefined, { part })
}

function foldersOf(deps: GivenDeps): string[] {
  const watched = triggersOf(deps.documents().values(), 'watch')
  return [deps.settings.pipelines, ...watched.flatMap(watchFoldersOf)]
}
