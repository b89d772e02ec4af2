import { dirname, resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { InputDeclaration, Pipeline } from '../core/pipeline.ts'
import { inputFromText, type TypedInput, typedInput } from './input-value.ts'
import { takesFiles } from './takes-files.ts'

export interface InputSources {
  /** `key=value` texts given by a person. */
  readonly given?: readonly string[]
  /** Values given by a trigger, integers as bigint. */
  readonly values?: JsonObject
  readonly cwd: string
  readonly exists: (path: string) => boolean
  /** Throws if a file may not be used, also when a person names it on the command line. */
  readonly checkFile: (path: string) => void
  /** A file that does not exist is no error: its path is that beside the document. */
  readonly keepMissing?: true
}

/**
 * The inputs of a run, typed: integers as bigint, dates as text, files as absolute paths. A person's value takes
 * precedence over a trigger's value, and that over the default. Throws AudienceError of the kind `usage`.
 */
export function resolveInputs(pipeline: Pick<Pipeline, 'file' | 'inputs' | 'name'>, sources: InputSources): JsonObject {
  const given = groupGiven(sources.given ?? [], pipeline)
  const resolved: Record<string, Json> = {}
  for (const [name, declaration] of Object.entries(pipeline.inputs)) {
    const value = inputValue(name, declaration, given.get(name), sources.values, pipeline)
    resolved[name] = withFiles(name, declaration, value, {
      pipeline,
      sources,
      isDefault: isDefault(name, given, sources),
    })
  }
  return resolved
}

function isDefault(name: string, given: ReadonlyMap<string, unknown>, { values }: InputSources): boolean {
  return !given.has(name) && values?.[name] === undefined
}

function groupGiven(texts: readonly string[], { inputs, name: pipeline }: Pick<Pipeline, 'inputs' | 'name'>) {
  const grouped = new Map<string, string[]>()
  for (const text of texts) {
    const equals = text.indexOf('=')
    if (equals < 1) {
      throw usage('malformed-input', `-i ${text} has no value`, 'write -i name=value')
    }
    const name = text.slice(0, equals)
    if (!Object.hasOwn(inputs, name)) {
      const known = Object.keys(inputs)
      const none = known.length === 0 ? `the pipeline ${pipeline} takes no inputs` : undefined
      throw usage('unknown-input', `the pipeline ${pipeline} has no input ${name}`, didYouMean(name, known) ?? none)
    }
    grouped.set(name, [...(grouped.get(name) ?? []), text.slice(equals + 1)])
  }
  return grouped
}

function inputValue(
  name: string,
  declaration: InputDeclaration,
  given: readonly string[] | undefined,
  values: JsonObject | undefined,
  pipeline: Pick<Pipeline, 'name'>,
): Json {
  if (given) return typed(name, fromTexts(name, declaration, given))
  const value = values && Object.hasOwn(values, name) ? values[name] : undefined
  if (value !== undefined) return typed(name, typedInput(declaration, value))
  if (declaration.default !== undefined) return declaration.default
  const about = declaration.description ? ` (${declaration.description})` : ''
  throw usage(
    'missing-input',
    `the pipeline ${pipeline.name} needs the input ${name}${about}`,
    `give it: -i ${name}=${EXAMPLES[declaration.type]}`,
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

/** A list is given as `a,b`, as JSON `["a","b"]`, or in several texts, which are combined. */
function fromTexts(name: string, declaration: InputDeclaration, texts: readonly string[]): TypedInput {
  if (declaration.type !== 'list') {
    if (texts.length > 1) throw usage('repeated-input', `-i ${name} is given ${texts.length} times`, 'give it once')
    return inputFromText(declaration, texts[0] ?? '')
  }
  const items: Json[] = []
  for (const item of texts.flatMap(listItems)) {
    const one = inputFromText({ type: declaration.items ?? 'string' }, item)
    if ('problem' in one)
      return { problem: { ...one.problem, message: `has a wrong item ${item}: it ${one.problem.message}` } }
    items.push(one.value)
  }
  return { value: items }
}

function listItems(text: string): string[] {
  if (text.trimStart().startsWith('[')) {
    const parsed = parseList(text)
    if (parsed) return parsed
  }
  return text === '' ? [] : text.split(',').map((item) => item.trim())
}

/** The items of a JSON list as texts; integers keep all their digits. */
function parseList(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text.replace(/(?<=[[,]\s*)-?\d+(?=\s*[,\]])/g, '"$&"'))
    return Array.isArray(list)
      ? list.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function typed(name: string, result: TypedInput): Json {
  if ('value' in result) return result.value
  throw usage('wrong-input', `the input ${name} ${result.problem.message}`, result.problem.hint)
}

/**
 * A default path is relative to the folder of the document. A given path is looked up there first, then in the working
 * directory, because a person may mean either.
 */
function withFiles(
  name: string,
  declaration: InputDeclaration,
  value: Json,
  place: { readonly pipeline: Pick<Pipeline, 'file'>; readonly sources: InputSources; readonly isDefault: boolean },
): Json {
  if (!takesFiles(declaration)) return value
  if (Array.isArray(value)) return value.map((path: Json) => absolute(name, declaration, String(path), place))
  return absolute(name, declaration, String(value), place)
}

function absolute(
  name: string,
  declaration: InputDeclaration,
  path: string,
  { pipeline, sources, isDefault }: Parameters<typeof withFiles>[3],
): string {
  const { cwd, exists, checkFile } = sources
  const folder = dirname(resolve(cwd, pipeline.file))
  const places = [...new Set(isDefault ? [resolve(folder, path)] : [resolve(folder, path), resolve(cwd, path)])]
  const found = places.find(exists)
  if (found !== undefined) {
    checkFile(found)
    return found
  }
  const [beside] = places
  if (sources.keepMissing && beside !== undefined) return beside
  throw usage(
    'file-not-found',
    `the file ${path} of the input ${name} does not exist: looked for ${places.join(' and ')}`,
    `give another: -i ${name}=path/to/file`,
    declaration,
  )
}

function usage(code: string, message: string, hint: string | undefined, declaration?: InputDeclaration): AudienceError {
  return new AudienceError({
    code,
    kind: 'usage',
    message,
    ...(hint !== undefined && { hint }),
    ...(declaration && { at: declaration.at }),
  })
}
