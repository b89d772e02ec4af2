import type { DecodedText, UnreadText } from '../core/decode-text.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { count } from '../core/format/figures.ts'
import { type Json, JsonLimitError, parseForeignJson, stringifyJson } from '../core/json.ts'
import type { InputDeclaration, Pipeline } from '../core/pipeline.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { toValue } from '../document/plain-value.ts'
import { readYaml } from '../document/read-yaml.ts'
import { type Declared, hasFields, type TypedInput, typedInput } from './input-value.ts'
import { wrongInput } from './wrong-input.ts'

/** The longest list that is read, in UTF-16 units. */
const MAX_LENGTH = 10_000_000

/** Reads the file that a person names as `@file`; throws if there is none. */
type ReadList = (path: string) => { readonly file: string; readonly document: DecodedText | UnreadText | undefined }

/** The `key=value` strings that a person gives, by key. Throws if there is no such input. */
export function groupGiven(
  texts: readonly string[],
  { inputs, name: pipeline }: Pick<Pipeline, 'inputs' | 'name'>,
): ReadonlyMap<string, readonly string[]> {
  const grouped = new Map<string, string[]>()
  for (const text of texts) {
    const equals = text.indexOf('=')
    if (equals < 1) throw wrongInput('malformed-input', `-i ${text} has no value`, 'write -i name=value')
    const name = text.slice(0, equals)
    if (!Object.hasOwn(inputs, name)) {
      const known = Object.keys(inputs)
      const none = known.length === 0 ? `the pipeline ${pipeline} takes no inputs` : undefined
      throw wrongInput(
        'unknown-input',
        `the pipeline ${pipeline} has no input ${name}`,
        didYouMean(name, known) ?? none,
      )
    }
    grouped.set(name, [...(grouped.get(name) ?? []), text.slice(equals + 1)])
  }
  return grouped
}

/**
 * The input that a command line gives. A list is given as `a,b`, as JSON `["a","b"]`, or in several strings, which are
 * combined. A list of objects is given as JSON or as `@file`.
 */
export function inputFromTexts(
  name: string,
  declaration: InputDeclaration,
  texts: readonly string[],
  read: ReadList,
): TypedInput {
  if (hasFields(declaration)) {
    return typedInput(
      declaration,
      texts.flatMap((text) => entriesIn(name, text, read)),
    )
  }
  if (declaration.type !== 'list') {
    if (texts.length > 1)
      throw wrongInput('repeated-input', `-i ${name} is given ${texts.length} times`, 'give it once')
    return typedInput(declaration, meantBy(declaration.type, texts[0] ?? ''))
  }
  const { items } = declaration
  return typedInput(
    declaration,
    texts
      .flatMap((text) => listItems(name, text))
      .map((item) => meantBy(typeof items === 'string' ? items : 'string', item)),
  )
}

/** The value of a string, for types other than text. */
function meantBy(type: Declared['type'], text: string): Json {
  if (type === 'integer' && /^[+-]?\d{1,19}$/.test(text)) return BigInt(text)
  if (type === 'number' && NUMBER.test(text)) return Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

const NUMBER = /^[+-]?(\d{1,30}(\.\d{1,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?$/

function listItems(name: string, text: string): string[] {
  if (text.trimStart().startsWith('[')) {
    const parsed = parseList(name, text)
    if (parsed) return parsed
  }
  return text === '' ? [] : text.split(',').map((item) => item.trim())
}

/** The items of a JSON list as strings; integers keep all their digits. */
function parseList(name: string, text: string): string[] | undefined {
  try {
    const list = parseForeignJson(text.replace(/(?<=[[,]\s*)-?\d+(?=\s*[,\]])/g, '"$&"'))
    return Array.isArray(list) ? list.map((item) => (typeof item === 'string' ? item : stringifyJson(item))) : undefined
  } catch (error) {
    if (error instanceof JsonLimitError) throw beyondLimit(name, error)
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The objects in JSON, or in the file that `@file` names. */
function entriesIn(name: string, text: string, read: ReadList): readonly Json[] {
  const value = text.startsWith('@') ? valueInFile(name, read(text.slice(1))) : jsonOf(name, text)
  if (Array.isArray(value)) return value
  throw wrongInput('wrong-input', `the input ${name} must be a list`, HOW_TO_GIVE)
}

const HOW_TO_GIVE = 'give a list of maps as JSON, or a file that contains one: @list.yaml or @list.json'

function valueInFile(name: string, { file, document }: ReturnType<ReadList>): Json {
  if (document && 'unread' in document) {
    const message = `the file ${file} of the input ${name} cannot be read: ${document.unread}`
    throw wrongInput('wrong-input', message, HOW_TO_GIVE)
  }
  const text = document?.invalid ? undefined : document?.text.replace(/^\uFEFF/, '')
  if (text === undefined || text.length > MAX_LENGTH) {
    const why = text === undefined ? 'cannot be read as UTF-8' : `is longer than ${count(MAX_LENGTH, 'character')}`
    throw wrongInput('wrong-input', `the file ${file} of the input ${name} ${why}`, HOW_TO_GIVE)
  }
  if (file.endsWith('.json')) return jsonOf(name, text, file)
  const reporter = new DiagnosticCollector(file, text)
  const node = readYaml(text, reporter)
  const [problem] = reporter.diagnostics().filter(({ severity }) => severity === 'error')
  if (node && !problem) return toValue(node)
  throw wrongInput('wrong-input', `the input ${name}: ${problem?.message}`, problem?.hint, problem)
}

function jsonOf(name: string, text: string, file?: string): Json {
  try {
    return parseForeignJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    if (error instanceof JsonLimitError) throw beyondLimit(name, error)
    // The message of the error quotes the text, which may contain personal data.
    const [, line, column] = /line (\d+) column (\d+)/.exec(error.message) ?? []
    const isPlaced = file !== undefined && line !== undefined
    const at = isPlaced ? { file, line: Number(line), column: Number(column) } : undefined
    throw wrongInput('wrong-input', `the input ${name} is not JSON`, HOW_TO_GIVE, { at })
  }
}

function beyondLimit(name: string, { message }: JsonLimitError): ReturnType<typeof wrongInput> {
  return wrongInput('wrong-input', `the input ${name} cannot be read: ${message}`, HOW_TO_GIVE)
}
