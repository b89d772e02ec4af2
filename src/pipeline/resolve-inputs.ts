import { dirname, resolve } from 'node:path'
import type { DecodedText, UnreadText } from '../core/decode-text.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { InputDeclaration, Pipeline } from '../core/pipeline.ts'
import { groupGiven, inputFromTexts } from './given-inputs.ts'
import { hasFields, partName, type TypedInput, typedInput } from './input-value.ts'
import { mapFiles } from './named-files.ts'
import { type WrongInputError, wrongInput, wrongInputs } from './wrong-input.ts'

export interface InputSources {
  /** `key=value` strings given by a person. */
  readonly given?: readonly string[]
  /** Values given by a trigger, integers as bigint. */
  readonly values?: JsonObject
  readonly cwd: string
  readonly exists: (path: string) => boolean
  /** Why the system does not let this user look at a path; undefined if it does. */
  readonly whyUnseen?: (path: string) => string | undefined
  /** Reads a list that a person names as `@file`; undefined if it cannot be read. */
  readonly read?: (path: string) => DecodedText | UnreadText | undefined
  /**
   * Throws if a file may not be used, even if a person names it on the command line. `part` is the input that names it:
   * `audiences[3].file`.
   */
  readonly checkFile: (path: string, part: string) => void
  /** The error for a file that does not exist. It replaces the error that names the searched locations. */
  readonly notThere?: (path: string, part: string) => WrongInputError | undefined
  /** A file need not exist. A missing file gets the path beside the document. */
  readonly keepMissing?: true
}

/**
 * The inputs of a run, typed: integers as bigint, dates as text, files as absolute paths. A person's value takes
 * precedence over a trigger's, and a trigger's over the default. Throws AudienceError of the kind `usage`.
 */
export function resolveInputs(pipeline: Pick<Pipeline, 'file' | 'inputs' | 'name'>, sources: InputSources): JsonObject {
  const given = groupGiven(sources.given ?? [], pipeline)
  const resolved: Record<string, Json> = {}
  for (const [name, declaration] of Object.entries(pipeline.inputs)) {
    const value = inputValue(name, declaration, given.get(name), { sources, pipeline })
    const isDefault = !given.has(name) && sources.values?.[name] === undefined
    const missing: WrongInputError[] = []
    resolved[name] = mapFiles(declaration, value, (path, pointer) => {
      const found = absolute(path, { name: partName(name, pointer), declaration, pipeline, sources, isDefault })
      if (typeof found !== 'string') missing.push(found)
      return typeof found === 'string' ? found : path
    })
    if (missing.length > 0) throw wrongInputs(name, missing)
  }
  return resolved
}

function inputValue(
  name: string,
  declaration: InputDeclaration,
  given: readonly string[] | undefined,
  { sources, pipeline }: { sources: InputSources; pipeline: Pick<Pipeline, 'file' | 'name'> },
): Json {
  if (given) {
    const read = (path: string) => {
      const file = absolute(path, { name, declaration, pipeline, sources, isDefault: false })
      if (typeof file !== 'string') throw file
      return { file, document: sources.read?.(file) }
    }
    return typed(name, inputFromTexts(name, declaration, given, read))
  }
  const { values } = sources
  const value = values && Object.hasOwn(values, name) ? values[name] : undefined
  if (value !== undefined) return typed(name, typedInput(declaration, value))
  if (declaration.default !== undefined) return declaration.default
  const about = declaration.description ? ` (${declaration.description})` : ''
  throw wrongInput(
    'missing-input',
    `the pipeline ${pipeline.name} needs the input ${name}${about}`,
    `give it: -i ${name}=${hasFields(declaration) ? '@list.yaml' : EXAMPLES[declaration.type]}`,
    declaration,
  )
}

const EXAMPLES: Readonly<Record<InputDeclaration['type'], string>> = {
  string: 'text',
  integer: '100',
  number: '1.5',
  boolean: 'true',
  file: 'path/to/file',
  date: '2026-01-31',
  enum: 'VALUE',
  list: 'a,b',
}

function typed(name: string, result: TypedInput): Json {
  if ('value' in result) return result.value
  const errors = result.problems.map(({ pointer, message, hint }) => {
    const part = partName(name, pointer)
    return wrongInput('wrong-input', `the input ${part} ${message}`, hint, { part })
  })
  throw wrongInputs(name, errors)
}

/**
 * A default path is relative to the folder of the document. A given path is looked up there first, then in the working
 * directory, because a person may mean either. Returns the error if the file does not exist.
 */
function absolute(
  path: string,
  {
    name,
    declaration,
    pipeline,
    sources,
    isDefault,
  }: {
    /** The input with the path: `file`, `audiences[3].file`. */
    name: string
    declaration: InputDeclaration
    pipeline: Pick<Pipeline, 'file'>
    sources: InputSources
    isDefault: boolean
  },
): string | WrongInputError {
  const { cwd, exists, checkFile } = sources
  const folder = dirname(resolve(cwd, pipeline.file))
  const places = [...new Set(isDefault ? [resolve(folder, path)] : [resolve(folder, path), resolve(cwd, path)])]
  const found = places.find(exists)
  if (found !== undefined) {
    checkFile(found, name)
    return found
  }
  const [beside] = places
  const refused = beside === undefined ? undefined : sources.notThere?.(beside, name)
  if (refused) return refused
  for (const place of places) {
    const why = sources.whyUnseen?.(place)
    if (why === undefined) continue
    const message = `cannot look for the file ${path} of the input ${name}: ${place}: ${why}`
    const hint = 'run this as a user who may read it and the folders above it, or give another file'
    return wrongInput('file-unreadable', message, hint, { at: declaration.at, part: name })
  }
  if (sources.keepMissing && beside !== undefined) return beside
  return wrongInput(
    'file-not-found',
    `the file ${path} of the input ${name} is not there, or is a folder: looked for ${places.join(' and ')}`,
    declaration.type === 'file' ? `give another: -i ${name}=path/to/file` : 'name a file that exists',
    { at: declaration.at, part: name },
  )
}
