import { closestHint } from '../core/did-you-mean.ts'
import { DURATION_PATTERN } from '../core/duration.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, type ScalarNode, textOf } from './document-node.ts'
import { quoted } from './mistakes.ts'

/** What to write instead of a value that is not allowed at its position; undefined if the schema does not say. */
export function valueHint(node: DocumentNode, place: JsonSchema): string | undefined {
  const types = [place.type ?? []].flat()
  if (node.kind === 'map') return types.includes('array') ? fromMap(node, place) : undefined
  if (types.includes('object') && !types.includes('array')) {
    return inMap(node, place) ?? (node.kind === 'list' ? fromList(node) : undefined)
  }
  if (node.kind === 'list' || node.value === null) return undefined
  if (types.includes('array')) return inList(node, place)
  if (place.pattern === DURATION_PATTERN) return durationHint(String(node.value))
  if (typeof node.value === 'string') return textHint(node.value, place)
  return place.type === 'string' && fitsPattern(String(node.value), place) ? 'quote it' : undefined
}

function fitsPattern(text: string, { pattern }: JsonSchema): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern).test(text)
}

/** What to write if a list of entries was meant to be a map. */
function fromList(node: DocumentNode): string | undefined {
  const [first] = itemsOf(node)
  const name = textOf(childOf(first, 'name'))
  if (name !== undefined) return `begin each with its name instead of a dash: ${name}: …`
  return first?.kind === 'map' ? 'leave the dashes out' : undefined
}

/** What to write if a map was meant to be a list. */
function fromMap(node: DocumentNode, place: JsonSchema): string {
  const names = entriesOf(node).map(([name]) => name)
  if (place.items?.type === 'string') {
    const more = names.length > MOST_WRITTEN ? ', …' : ''
    return `write only the names: [${names.slice(0, MOST_WRITTEN).join(', ')}${more}]`
  }
  return `begin each item with a dash: - ${itemOf(node, place)}`
}

/** The first item, if the keys of a map are the ids of the items. */
function itemOf(node: DocumentNode, { items }: JsonSchema): string {
  const [first] = entriesOf(node)
  const isById = items?.required?.includes('id') && first?.[1].value.kind === 'map'
  return first && isById ? `id: ${first[0]}` : '…'
}

/**
 * What to write if a list was meant, but the value is its only item, or one text with all of its items: `match,
 * segment`.
 */
function inList(node: ScalarNode, { items }: JsonSchema): string | undefined {
  const only = items?.required?.[0]
  if (only !== undefined) {
    const value = written(node)
    return only === 'id' || value === undefined ? undefined : `write [{ ${only}: ${value} }]`
  }
  const [, item] = /^[-–—−•](\w.*)$/.exec(String(node.value)) ?? []
  if (item !== undefined) return /\s/.test(item) ? SPACE_AFTER_DASH : `${SPACE_AFTER_DASH}: - ${item}`
  const words = String(node.value).split(/[\s,()]+/)
  const all = words.every((word) => /^[\w.-]*$/.test(word))
    ? words.filter((word) => word !== '').join(', ')
    : written(node)
  return all && `write [${all}]`
}

const SPACE_AFTER_DASH = 'write a short dash and a space before each item'

/**
 * What to write if a map was meant, but only the value of one member was written: the member that the map requires, or
 * the first one of that type.
 */
function inMap(node: DocumentNode, { required = [], properties = {} }: JsonSchema): string | undefined {
  const [only, another] = required
  const name =
    only !== undefined && another === undefined
      ? only
      : Object.keys(properties).find((key) => takes(properties[key], node))
  const value = name !== undefined && name !== 'id' && takes(properties[name], node) ? written(node) : undefined
  return value === undefined ? undefined : `write { ${name}: ${value} }`
}

function takes(place: JsonSchema | undefined, node: DocumentNode): boolean {
  if (!place) return false
  if (place.enum) return node.kind === 'scalar' && place.enum.includes(node.value)
  const types = [place.type ?? ['string', 'integer', 'array']].flat()
  if (node.kind === 'list') return types.includes('array')
  if (node.kind === 'map') return false
  return types.includes(typeof node.value === 'bigint' ? 'integer' : typeof node.value)
}

/** A longer list is not written out. */
const MOST_WRITTEN = 5

/** A value as a member of a map or a list in brackets; undefined if it is long. */
function written(node: DocumentNode): string | undefined {
  if (node.kind === 'list') {
    const items = itemsOf(node).map(written)
    return items.length > MOST_WRITTEN || items.includes(undefined) ? undefined : `[${items.join(', ')}]`
  }
  if (node.kind === 'map') return undefined
  const text = String(node.value)
  if (text.length > 60) return undefined
  return /[{}[\],:#*&!|>"'%@`]/.test(text) ? quoted(text) : text
}

function durationHint(value: string): string | undefined {
  if (/^\d+$/.test(value)) return `${value}s for seconds, ${value}ms for milliseconds`
  if (!/^(\d{1,9} *[a-z]+[ ,]*)+$/i.test(value)) return undefined
  const parts = [...value.matchAll(/(\d+) *([a-z]+)/gi)].map(([, count, word = '']) => {
    const unit = UNITS.find(([, , pattern]) => pattern.test(word))
    return unit && { unit: unit[0], ms: Number(count) * unit[1] }
  })
  const ms = parts.reduce((sum, part) => sum + (part?.ms ?? Number.NaN), 0)
  const [only] = parts.length === 1 ? parts : []
  // `30 minutes` stays in minutes; `1h30m` gets the largest unit in which it is a whole number.
  const [name, size] = UNITS.find(([unit, each]) => (only ? unit === only.unit : ms % each === 0)) ?? []
  return name === undefined || size === undefined ? undefined : `write ${ms / size}${name}`
}

/**
 * The names of units, their milliseconds, and how people spell them. The largest unit comes first, but weeks come last.
 */
const UNITS = [
  ['d', 86_400_000, /^(d|days?)$/i],
  ['h', 3_600_000, /^(h|hrs?|hours?)$/i],
  ['m', 60_000, /^(m|mins?|minutes?)$/i],
  ['s', 1000, /^(s|secs?|seconds?)$/i],
  ['ms', 1, /^(ms|msecs?|milliseconds?)$/i],
  ['d', 604_800_000, /^(w|weeks?)$/i],
] as const

function textHint(value: string, place: JsonSchema): string | undefined {
  const options = place.enum?.filter((option) => typeof option === 'string')
  if (options) return closestHint(value, options)
  if (typeof place.const === 'number') return `write ${place.const} without quotes`
  const isNumber = place.type === 'integer' || place.type === 'number' || place.format === 'int64'
  if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return `write ${value} without quotes`
  if (place.type !== 'boolean') return undefined
  return /^(true|false)$/.test(value) ? `write ${value} without quotes` : 'write true or false'
}
