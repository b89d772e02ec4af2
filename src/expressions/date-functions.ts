import { isDate } from '../core/date.ts'
import { OperationError } from './failure.ts'
import { type FunctionCall, type FunctionDefinition, textAt } from './function-definition.ts'
import { NS_PER_SECOND, parseDurationValue, parseProblem, parseTimestamp, timestampAt } from './time.ts'
import { localDate, ZONE_UNITS, zoneProblem } from './time-zone.ts'
import { Duration, Timestamp, type Value } from './value.ts'

/** The cost of reading a date, in units. */
const DATE_UNITS = 5
const DEFAULT_PATTERN_LETTERS = 'yMdHms'

const zone = { name: 'zone', kinds: ['string'], check: zoneProblem } as const
const date = { name: 'date', kinds: ['string'], check: dateProblem } as const

/** Functions on dates and times. A date is a text such as `2026-01-31`, as in an input of type date. */
export const dateFunctions: readonly FunctionDefinition[] = [
  {
    name: 'now',
    parameters: [],
    returns: 'timestamp',
    description: 'When the run started. It stays the same however long the run takes, even if the run is resumed.',
    example: { expression: 'now() - duration("24h")', result: 'the same time the day before' },
    run: startOf,
  },
  {
    name: 'today',
    parameters: [{ ...zone, optional: true }],
    returns: 'string',
    description: 'The date on which the run started, in a time zone (UTC if none is given).',
    example: { expression: 'today("America/New_York")', result: '"2026-01-31"' },
    run: (call) => {
      call.spend(ZONE_UNITS)
      return formatInZone(startOf(call), 'yyyy-MM-dd', zoneAt(call, 0))
    },
  },
  {
    name: 'formatDate',
    parameters: [
      { name: 'timestamp', kinds: ['timestamp'] },
      { name: 'pattern', kinds: ['string'], check: patternProblem },
      { ...zone, optional: true },
    ],
    returns: 'string',
    description:
      'A timestamp as text in a time zone (UTC if none is given). Pattern letters: yyyy, MM, dd, HH, mm, ss; put other letters in single quotes.',
    example: { expression: 'formatDate(now(), "yyyy-MM-dd HH:mm", "Europe/Berlin")', result: '"2026-01-31 09:00"' },
    run: (call) => {
      call.spend(ZONE_UNITS)
      const timestamp = call.args[0]
      return timestamp instanceof Timestamp ? formatInZone(timestamp, textAt(call, 1), zoneAt(call, 2)) : ''
    },
  },
  {
    name: 'addDays',
    parameters: [date, { name: 'days', kinds: ['int'] }],
    returns: 'string',
    description: 'The date that many days later, or earlier if the number is negative.',
    example: { expression: 'addDays("2026-03-01", -1)', result: '"2026-02-28"' },
    run: (call) => {
      call.spend(DATE_UNITS)
      return addDays(textAt(call, 0), Number(call.args[1]))
    },
  },
  {
    name: 'timestamp',
    parameters: [
      {
        name: 'value',
        kinds: ['string', 'int', 'timestamp'],
        check: (value) => parseProblem(() => toTimestamp(value)),
      },
    ],
    returns: 'timestamp',
    description: 'A timestamp from text with an offset, or from the seconds since 1970.',
    example: { expression: 'timestamp("2026-01-31T08:00:00Z")', result: 'a timestamp' },
    run: (call) => {
      call.spend(DATE_UNITS)
      return toTimestamp(call.args[0] ?? null)
    },
  },
  {
    name: 'duration',
    parameters: [
      {
        name: 'text',
        kinds: ['string', 'duration'],
        check: (text) => parseProblem(() => toDuration(text)),
      },
    ],
    returns: 'duration',
    description: 'A length of time from text with the units ns, us, ms, s, m, h and d.',
    example: { expression: 'duration("1h30m")', result: 'a duration' },
    run: ({ args: [value = null] }) => toDuration(value),
  },
]

/** The date that was probably meant, if the text has the day before the month or year, or lacks zeros. */
export function dateHint(text: string): string | undefined {
  const [, year, a, b] = /^(\d{4})[-/.](\d\d?)[-/.](\d\d?)$/.exec(text) ?? []
  const [, c, d, lastYear] = /^(\d\d?)[-/.](\d\d?)[-/.](\d{4})$/.exec(text) ?? []
  const [first = '', second = ''] = [a ?? d, b ?? c].map((part) => part?.padStart(2, '0'))
  const meant = [`${first}-${second}`, `${second}-${first}`].map((day) => `${year ?? lastYear}-${day}`).find(isDate)
  return meant && `did you mean ${meant}?`
}

function toTimestamp(value: Value): Timestamp {
  if (value instanceof Timestamp) return value
  return typeof value === 'bigint' ? timestampAt(value * NS_PER_SECOND) : parseTimestamp(String(value))
}

function toDuration(value: Value): Duration {
  return value instanceof Duration ? value : parseDurationValue(String(value))
}

function startOf(call: FunctionCall): Timestamp {
  if (!call.startedAt) throw new OperationError('the start of the run is not known here')
  return call.startedAt
}

function zoneAt(call: FunctionCall, index: number): string {
  return call.args.length > index ? textAt(call, index) : 'UTC'
}

function formatInZone(timestamp: Timestamp, pattern: string, zone: string): string {
  const problem = patternProblem(pattern)
  if (problem) throw new OperationError(problem)
  const local = localDate(timestamp, zone)
  return pattern.replace(PATTERN_PIECE, (piece) => {
    const part = PATTERN_PARTS[piece]
    if (part === undefined) return piece.startsWith("'") ? unquoted(piece) : piece
    return String(part(local)).padStart(piece.length, '0')
  })
}

/** The text of a quoted piece. Two quotes stand for one quote, inside a quoted text and also alone. */
function unquoted(piece: string): string {
  return piece === "''" ? "'" : piece.slice(1, -1).replaceAll("''", "'")
}

/** A quoted text, a run of one letter, or anything else. */
const PATTERN_PIECE = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']/g
const PATTERN_PARTS: Readonly<Record<string, (local: Date) => number>> = {
  yyyy: (local) => local.getUTCFullYear(),
  MM: (local) => local.getUTCMonth() + 1,
  dd: (local) => local.getUTCDate(),
  HH: (local) => local.getUTCHours(),
  mm: (local) => local.getUTCMinutes(),
  ss: (local) => local.getUTCSeconds(),
}

function patternProblem(pattern: Value): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > 100) return 'the date pattern is too long'
  if ((pattern.match(/'/g)?.length ?? 0) % 2 === 1) return 'a quote in the date pattern is not closed'
  for (const [piece] of pattern.matchAll(PATTERN_PIECE)) {
    if (!/^[A-Za-z]/.test(piece) || PATTERN_PARTS[piece]) continue
    const known = Object.keys(PATTERN_PARTS).join(', ')
    const quote = DEFAULT_PATTERN_LETTERS.includes(piece.charAt(0)) ? '' : '; put other letters in single quotes'
    return `${piece} is not known in a date pattern (${known}${quote})`
  }
  return undefined
}

function dateProblem(text: Value): string | undefined {
  return typeof text === 'string' && isDate(text) ? undefined : 'a date looks like 2026-01-31'
}

function addDays(text: string, days: number): string {
  const problem = dateProblem(text)
  if (problem) throw new OperationError(problem)
  const moved = new Date(Date.parse(`${text}T00:00:00Z`) + days * 86_400_000)
  if (Number.isNaN(moved.getTime()) || moved.getUTCFullYear() < 0 || moved.getUTCFullYear() > 9999) {
    throw new OperationError('the date is out of range')
  }
  return moved.toISOString().slice(0, 10)
}
