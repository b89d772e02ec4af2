import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../core/json.ts'
import { shellWord } from '../core/shell-word.ts'
import type { StepType } from '../core/step-type.ts'
import { exampleInput } from './example-input.ts'

/** A step of a pipeline that uses a step type. */
export function exampleStep(type: StepType): string {
  const input = Object.entries(exampleInput(type))
  return [
    `- id: ${type.name.split('.')[1]}`,
    `  uses: ${type.name}`,
    ...(input.length > 0 ? ['  with:'] : []),
    ...input.map(([field, value]) => `    ${field}: ${yamlValue(value ?? null, isInt64(type, field))}`),
  ].join('\n')
}

/** The same as a call on the command line. */
export function exampleCall(type: StepType, options: { all: boolean }): string {
  const input: JsonObject = exampleInput(type)
  const flags = Object.entries(input).map(([field, value]) => `--${field} ${shellWord(flagText(value ?? null))}`)
  const words = [`audience api ${type.name}`, ...flags, ...(options.all ? ['--all'] : [])]
  const line = words.join(' ')
  return line.length > 100 ? words.join(' \\\n  ') : line
}

function isInt64({ input }: StepType, field: string): boolean {
  return input.properties[field]?.format === 'int64'
}

/** A 64-bit id is a decimal string in memory and an integer in a document. */
function yamlValue(value: Json, isId: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => yamlValue(item, false)).join(', ')}]`
  if (typeof value !== 'string') return stringifyJson(value)
  if (isId) return value
  return isPlainInYaml(value) ? value : JSON.stringify(value)
}

function isPlainInYaml(text: string): boolean {
  return /^[A-Za-z][\w ./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
}

function flagText(value: Json): string {
  if (Array.isArray(value)) return value.map(flagText).join(',')
  return typeof value === 'string' ? value : isJsonObject(value) ? stringifyJson(value) : String(value)
}
