import { basename, isAbsolute } from 'node:path'
import { isJsonObject, type Json } from '../core/json.ts'

const NAMING = ['key', 'id', 'name', 'label'] as const
/** The ending of names such as `segmentId` or `group_name`. */
const NAMING_END = /(?:[a-z0-9](?:Key|Id|Name)|_(?:key|id|name))$/
const MAX_LENGTH = 60

/**
 * The name of an item of a forEach for people: its text, or its field `key`, `id`, `name` or `label`, or the first
 * field whose name ends in such a word. Undefined if it has none.
 */
export function itemLabel(item: Json | undefined): string | undefined {
  if (!isJsonObject(item)) return labelText(item)
  const fields = [...NAMING, ...Object.keys(item).filter((field) => NAMING_END.test(field))]
  return fields.map((field) => labelText(item[field])).find((text) => text !== undefined)
}

/** For the path of a file, its last part. */
function nameIn(text: string): string {
  return isAbsolute(text) ? basename(text) : text
}

function labelText(value: Json | undefined): string | undefined {
  const isNamed = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
  const text = isNamed ? nameIn(String(value)) : ''
  if (text === '') return undefined
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`
}
