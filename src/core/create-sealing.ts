import { SHORTEST_SECRET, SHORTEST_STRETCH } from './hidden-texts.ts'
import { changedData, parseJson, stringifyJson } from './json.ts'
import { RECORD_WORDS } from './record-words.ts'
import type { RunRecord, StoredRecord } from './run.ts'
import type { Sealing } from './sealing.ts'
import { findSecrets } from './secret-spans.ts'
import { joinedSpans, MASK } from './secrets.ts'

/**
 * A word is sealed only if the parts of secrets in it have about this many characters on average. In an encoded secret,
 * the parts are shorter.
 */
const FEWEST_CHARACTERS = 3
/**
 * Encloses references in stored data. Other data hardly ever contain this private-use character. Where they do, it is
 * written twice.
 */
const MARK = '\uE5EA'
const REFERENCE = new RegExp(`${MARK}([^${MARK}]*)${MARK}`, 'g')
/** The text of a sealed number begins with this. */
const NUMBER = `${MARK}#${MARK}`

/** Seals the values of these variables. */
export function createSealing(env: Readonly<Record<string, string>>): Sealing {
  const secrets = Object.entries(env).filter(([, value]) => value.trim().length >= SHORTEST_SECRET)
  secrets.sort(([, a], [, b]) => b.length - a.length)
  let find: ReturnType<typeof findSecrets> | undefined

  function spansIn(text: string) {
    if (secrets.length === 0) return []
    find ??= findSecrets(secrets.map(([, value]) => value))
    return joinedSpans(find(text))
  }

  /** Seals whole secrets first, beginning with the longest. */
  function sealText(text: string, after = 0): string {
    const [name, value] = secrets[after] ?? []
    if (name === undefined || value === undefined) return sealParts(text)
    return text
      .split(value)
      .map((part) => sealText(part, after + 1))
      .join(referenceOf(name))
  }

  /** Seals a text that contains no whole secret, but perhaps parts of one. */
  function sealParts(text: string): string {
    let sealed = ''
    let at = 0
    for (const { from, to } of spansIn(text)) {
      sealed += escaped(text.slice(at, from)) + sealPart(text.slice(from, to))
      at = to
    }
    return sealed + escaped(text.slice(at))
  }

  /** White space may break a secret, so each word is sealed by itself. */
  function sealPart(part: string): string {
    const words = part.split(/(\s+)/).map((word) => (word.trim() === '' ? word : sealWord(word)))
    return words.includes(undefined) ? MASK : words.join('')
  }

  /**
   * Seals a word that consists of a few parts of secrets, in upper or lower case. Returns undefined for any other word.
   */
  function sealWord(word: string): string | undefined {
    let sealed = ''
    let parts = 0
    for (let at = 0; at < word.length; parts += 1) {
      const part = partAt(word, at)
      if (!part || parts > word.length / FEWEST_CHARACTERS) return undefined
      const { name, value, from, length } = part
      const places = Array.from({ length }, (_, place) => place)
      const others = places.filter((place) => word[at + place] !== value[from + place])
      sealed += referenceOf(name, from, from + length, ...others)
      at += length
    }
    return openText(sealed) === word ? sealed : undefined
  }

  /** The longest part of a secret that occurs at this position in a word. */
  function partAt(word: string, at: number) {
    const small = word.toLowerCase()
    let longest: { name: string; value: string; from: number; length: number } | undefined
    for (const [name, value] of secrets) {
      const signs = value.toLowerCase()
      for (let from = signs.indexOf(small.charAt(at)); from >= 0; from = signs.indexOf(small.charAt(at), from + 1)) {
        let length = 1
        while (at + length < small.length && small[at + length] === signs[from + length]) length += 1
        if (length > (longest?.length ?? 0)) longest = { name, value, from, length }
      }
    }
    return longest
  }

  function openText(text: string, missing?: (name: string) => void): string {
    return text.replace(REFERENCE, (_, reference: string) => {
      if (reference === '') return MARK
      const [name = '', from, to, ...others] = reference.split(':')
      const value = Object.prototype.propertyIsEnumerable.call(env, name) ? env[name] : undefined
      if (value === undefined) missing?.(name)
      return value === undefined
        ? MASK
        : withOtherCase(value.slice(Number(from ?? 0), Number(to ?? value.length)), others)
    })
  }

  function sealNumber(number: number | bigint): unknown {
    const text = String(number)
    const isSecret = text.length >= SHORTEST_STRETCH || secrets.some(([, value]) => value === text)
    const sealed = isSecret ? sealText(text) : text
    return sealed === text ? number : NUMBER + sealed
  }

  return {
    changes: (text) => text.includes(MARK) || spansIn(text).length > 0,
    seal: (data) =>
      changed(data, (value) => {
        if (typeof value !== 'string') return sealNumber(value)
        return WORDS.has(value) ? value : sealText(value)
      }),
    open: (data, missing) =>
      changed(data, (value) => {
        if (typeof value !== 'string') return value
        return value.startsWith(NUMBER)
          ? numberIn(openText(value.slice(NUMBER.length), missing))
          : openText(value, missing)
      }),
  }
}

/** Knows no secrets, so it opens references as `***`. For runs without secrets, and for code that only reads runs. */
export const NO_SECRETS = createSealing({})

/**
 * The JSON of data as they are stored. `change` seals a part of the data. Without `change`, all of the data are sealed.
 */
export function sealedText<T>(
  data: T,
  sealing: Sealing,
  change = (given: T, seal: Sealing['seal']) => seal(given),
): string {
  const text = stringifyJson(data)
  return sealing.changes(text) ? stringifyJson(change(data, sealing.seal)) : text
}

/** The JSON of a record as it is stored. A document and its path are stored as they are. */
export function sealedRecord(record: RunRecord, sealing = NO_SECRETS): string {
  return sealedText(record, sealing, changedRecord)
}

/** Whether stored JSON may contain references. */
export function isSealed(text: string): boolean {
  return text.includes(MARK)
}

/** A stored record as it was before it was sealed. */
export function openedRecord(
  stored: StoredRecord,
  { open }: Pick<Sealing, 'open'>,
  missing?: (name: string) => void,
): StoredRecord {
  if (!stored.isSealed) return stored
  const { isSealed: _, record, ...place } = stored
  return { ...place, record: changedRecord(record, (data) => open(data, missing)) }
}

function changedRecord(record: RunRecord, change: <T>(data: T) => T): RunRecord {
  if (record.type !== 'run.submitted') return change(record)
  const { inputs, trigger, seed } = record
  return { ...record, ...change({ inputs, trigger, seed }) }
}

/** The words in records must stay readable. No run begins if one of these words is one of its secrets. */
const WORDS: ReadonlySet<string> = new Set(RECORD_WORDS)

/**
 * Changes every text, key and number in plain data. Every value is replaced by one of its own type, or by a text if it
 * is sealed.
 */
function changed<T>(data: T, change: Parameters<typeof changedData>[1]): T {
  return changedData(data, change) as T
}

function referenceOf(name: string, ...part: readonly number[]): string {
  return MARK + [name, ...part].join(':') + MARK
}

function escaped(text: string): string {
  return text.replaceAll(MARK, MARK + MARK)
}

function withOtherCase(text: string, places: readonly string[]): string {
  const others = new Set(places.map(Number))
  return Array.from({ length: text.length }, (_, at) => {
    const sign = text.charAt(at)
    if (!others.has(at)) return sign
    return sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()
  }).join('')
}

/** If the value of the variable has changed since a number was sealed, the result may be a text. */
function numberIn(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? parseJson(text) : text
}
