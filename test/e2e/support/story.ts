import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { HumanDecision, RunStatus } from '../../../src/core/run.ts'

/** One event of a story, and the states of its runs when everything has settled. */
export interface Happening {
  /** Somebody runs the document with these inputs. */
  readonly run?: JsonObject
  /** A file is dropped into a folder; both are paths of the project. */
  readonly drop?: { readonly from: string; readonly to: string }
  /** A person decides about a step of the run that waits. */
  readonly decide?: { readonly step: string; readonly decision: HumanDecision }
  /** The final status of the newest run, if it has not succeeded. */
  readonly ends?: RunStatus
}

/** The result of a story. */
export interface Story {
  /** The records of each run, in the order of submission. */
  readonly runs: readonly (readonly Json[])[]
  /** In the order in which they reached the service. */
  readonly exchanges: readonly Exchange[]
  /** The folders of the project, of the state and of the service. */
  readonly folders: readonly string[]
}

interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
}

/**
 * What must be equal in a real run and in a rehearsal. It has no times or places, its ids are numbered in the order of
 * their appearance, and repeated equal polls are in it only once. The order of concurrent events is not defined, so
 * with `atOnce` the records and the exchanges are sorted and have no ids.
 */
export function toldAlike({ runs, exchanges, folders }: Story, { atOnce }: { readonly atOnce: boolean }) {
  const plain = (text: string) =>
    folders
      .reduce((rest, folder) => rest.replaceAll(folder, ''), text)
      .replaceAll(TICKET, 'ticket')
      .replaceAll(TIME, 'time')
  const recorded = runs.map((records) =>
    records.filter((record) => !isPoll(record)).map((record) => plain(JSON.stringify(record, withoutMoments))),
  )
  const asked = exchanges.map(({ method, path, status }) => `${method} ${plain(path).replace(BASE, '')} ${status}`)
  const seen = asked.filter((line, at) => !line.startsWith('GET') || asked.indexOf(line) === at)
  if (!atOnce) return numbered([...recorded, seen])
  const alone = (lines: readonly string[]) => lines.map(withoutIds).toSorted()
  return [...recorded.map(alone).toSorted((a, b) => (a.join() < b.join() ? -1 : 1)), alone(seen)]
}

/** The participant's prefix and the query, which the real service does not report with the path. */
const BASE = /^\/p\/\d+|\?.*/g
const TICKET = /\d{13}-\w{6}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const NUMBER = /((?:[iI]d|runId)":"?|"build":"|\/(?:jobs|match|activations)\/)\d+/g
const ID = /\b([0-9a-f]{24}|\d{8}t\d{6}-[a-z0-9]{10})\b/g

/** Times, durations, and the user, because a test acts under its own name. */
const MOMENTS = new Set(['at', 'waitedMs', 'retryAt', 'modifiedAt', 'modifiedMs', 'startedBy', 'by', 'comment', 'git'])

function withoutMoments(key: string, value: unknown): unknown {
  if (MOMENTS.has(key)) return undefined
  return typeof value === 'bigint' ? Number(value) : value
}

/** How often a job was seen in progress depends on the speed of the machine. */
function isPoll(record: Json): boolean {
  return (record as { readonly type?: string }).type === 'job.status'
}

/** It is random which of several was the first, and so got the first number and blocked the others. */
function withoutIds(text: string): string {
  const isBlock = /"type":"step\.(un)?blocked"/.test(text)
  const plain = text.replaceAll(ID, '#').replaceAll(NUMBER, '$1#')
  return isBlock ? plain.replaceAll(/,"(index|key|by|thing)":("[^"]*"|\d+|\{[^}]*\})/g, '') : plain
}

function numbered(parts: readonly (readonly string[])[]): string[][] {
  const known = new Map<string, string>()
  const numberOf = (id: string) => {
    const number = known.get(id) ?? `#${known.size + 1}`
    known.set(id, number)
    return number
  }
  return parts.map((lines) => lines.map((line) => line.replaceAll(ID, numberOf)))
}
