import { basename } from 'node:path'
import { count } from '../../core/format/figures.ts'
import { isJsonObject, isSameJson, type Json, type JsonObject, stringifyJson } from '../../core/json.ts'
import { shownPath } from '../../core/shown-path.ts'
import { itemLabel } from '../../runs/item-label.ts'
import { cut } from './text-width.ts'

const MOST_COLUMNS = 32
const MOST_COLUMNS_IN_FULL = 500

/** Inputs for people, each shortened: `file=today.csv, minimumMatch=100`; those in `first` come first. */
export function describeInputs(inputs: JsonObject, first: ReadonlySet<string> = new Set()): string {
  const names = Object.keys(inputs)
  return [...names.filter((name) => first.has(name)), ...names.filter((name) => !first.has(name))]
    .map((name) => `${name}=${cut(shortValue(inputs[name]), MOST_COLUMNS)}`)
    .join(', ')
}

/** Inputs in full, one per line: `file=/data/today.csv`; a very long value is cut. */
export function inputLines(inputs: JsonObject): string[] {
  return Object.entries(inputs).map(([name, value]) => {
    const text = typeof value === 'string' ? shownPath(value) : stringifyJson(value)
    return `${name}=${cut(text, MOST_COLUMNS_IN_FULL)}`
  })
}

/** The names of the inputs whose values differ between runs. */
export function differingInputs(all: readonly JsonObject[]): ReadonlySet<string> {
  const [first, ...others] = all
  const names = new Set(all.flatMap((inputs) => Object.keys(inputs)))
  return new Set([...names].filter((name) => others.some((inputs) => !isSameJson(inputs[name], first?.[name]))))
}

function shortValue(value: Json | undefined): string {
  if (typeof value === 'string') return value.includes('/') ? basename(value) : value
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (Array.isArray(value)) return value.length > 2 ? count(value.length, 'value') : value.map(shortValue).join('+')
  return isJsonObject(value) ? (itemLabel(value) ?? count(Object.keys(value).length, 'value')) : String(value)
}
