import { isJsonObject, type Json, stringifyJson } from '../../core/json.ts'
import { writeTime } from './write-time.ts'

/** Fields that pino adds, and fields that pino-pretty shows in its own way. */
const OWN = ['level', 'time', 'msg', 'err']

/** The outcomes of an occurrence. */
const STATES = ['ran', 'skipped', 'missed', 'failed']

/** A digest of a file, or the key of an occurrence that begins with one. Neither means anything to a person. */
const DIGEST = /^[0-9a-f]{64}/

/** An instant, such as the key of a slot. People see it as a time on the clock of their machine. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/

/** A line of the log for people: the sentence, and in brackets the facts that the sentence does not state. */
export function readableLine(line: Readonly<Record<string, Json | undefined>>): Record<string, Json | undefined> {
  const own = Object.fromEntries(OWN.flatMap((name) => (line[name] === undefined ? [] : [[name, line[name]]])))
  // The sentence for an event of a run states all facts.
  if (line.event !== undefined) return own
  const facts = Object.entries(line)
    .filter(([name, value]) => !OWN.includes(name) && !isRedundant(value, String(line.msg)))
    .map(([name, value]) => `${name} ${textOf(value ?? null)}`)
  return facts.length === 0 ? own : { ...own, msg: `${line.msg} (${facts.join(', ')})` }
}

/** Whether a value adds nothing: it is empty, already in the sentence, the name of an outcome, or a digest. */
function isRedundant(value: Json | undefined, sentence: string): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' && (sentence.includes(value) || STATES.includes(value) || DIGEST.test(value))
}

function textOf(value: Json): string {
  if (isJsonObject(value) || Array.isArray(value)) return stringifyJson(value)
  const text = String(value)
  return INSTANT.test(text) ? writeTime(Date.parse(text)) : text
}
