import { statSync } from 'node:fs'
import { codeOf } from '../../core/code-of.ts'
import { type DecodedText, decodeText, notUtf8 } from '../../core/decode-text.ts'
import { AudienceError } from '../../core/errors.ts'
import { foreignFormat } from '../../core/foreign-format.ts'
import { count } from '../../core/format/figures.ts'
import { messageOf } from '../../core/message-of.ts'
import { readBounded } from '../../platform/read-bounded.ts'
import { type DaysOff, DaysOffError, isDay } from './days-off.ts'
import { parseCalendar } from './parse-calendar.ts'
import { type TimeZone, timeZone } from './time-zone.ts'

/** No list of days off has more bytes than this. */
const MAX_BYTES = 20_000_000

/**
 * The days off that a file currently lists. The file is read now, and when `has` is called after a change. If the file
 * can no longer be read, the last good content still applies and `onProblem` is called once. If there is no good
 * content, `has` throws an AudienceError, and never anything else, whatever is in the file.
 */
export function readDaysOff(options: {
  /** An absolute path. */
  path: string
  timezone: string
  /** Throws an AudienceError if the file may not be read. Checks the current targets of symbolic links. */
  checkFile: (path: string) => void
  onProblem: (problem: AudienceError) => void
}): DaysOff {
  const { path, timezone, checkFile, onProblem } = options
  const zone = timeZone(timezone)
  let good: DaysOff | undefined
  let seen = ''
  let problem: AudienceError | undefined
  const look = () => {
    const version = versionOf(path)
    if (version === seen) return
    seen = version
    try {
      good = parseDaysOff(path, decodeText(readBounded(path, MAX_BYTES, checkFile)), zone)
      problem = undefined
    } catch (error) {
      problem = unreadable(path, error)
      if (good) onProblem(problem)
    }
  }
  // The file is read now, not only when a slot comes, because by then it may be broken.
  look()
  return {
    has(date) {
      look()
      if (!good) throw problem ?? unreadable(path, undefined)
      return good.has(date)
    },
  }
}

function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return messageOf(error)
  }
}

function unreadable(path: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error)
  const repair = error instanceof DaysOffError ? error.hint : 'put the file back'
  return new AudienceError({
    code: 'days-off-unreadable',
    kind: 'failed',
    message: `the days off in ${path} cannot be read: ${why}`,
    hint: `${repair}; until then the schedule uses the last content that could be read`,
    cause: error,
  })
}

/** In UTF-16 units; a longer text is not a list of holidays. */
const MAX_LENGTH = 5_000_000

/**
 * The days off in a file: a calendar (`.ics`), or a text with one date per line and comments after `#`. Throws
 * DaysOffError for anything that it cannot read, because an overlooked day off would cause an unwanted run. The errors
 * name lines and never quote them, because a document can name any file that the process may read.
 */
export function parseDaysOff(path: string, decoded: DecodedText, zone: TimeZone): DaysOff {
  try {
    return parse(path, decoded, zone)
  } catch (error) {
    if (error instanceof DaysOffError) throw error
    // Any error in the code above counts as a problem with the file. Its message is not shown, because it may quote the
    // file.
    const what = error instanceof Error ? error.name : 'error'
    throw new DaysOffError(`reading it failed (${what})`, 'write the days in a text file with one date per line')
  }
}

function parse(path: string, { text, invalid }: DecodedText, zone: TimeZone): DaysOff {
  if (text.length > MAX_LENGTH)
    throw new DaysOffError(`it has more than ${count(MAX_LENGTH, 'character')}`, 'leave out what is not a day off')
  const [foreign] = foreignFormat(Buffer.from(text.slice(0, SAMPLE)))?.split(':') ?? []
  if (foreign !== undefined) throw new DaysOffError(`it is ${foreign}`, WRITE_TEXT)
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').length
    throw new DaysOffError(`line ${line} has a NUL byte: it is binary data, or a damaged text file`, WRITE_TEXT)
  }
  // Calendars may break a line within a character (RFC 5545, 3.1), and everything important in them is ASCII.
  if (/\.ics$/i.test(path)) return parseCalendar(text, zone)
  if (invalid) throw new DaysOffError(notUtf8(invalid), 'save it as UTF-8')
  return parseDates(text)
}

const SAMPLE = 4096
const WRITE_TEXT = 'write a text file in UTF-8: a calendar (.ics), or one date per line'

function parseDates(text: string): DaysOff {
  // A file that was cut off before its first character would look like one without days off, so an empty file is an error.
  if (text.trim() === '')
    throw new DaysOffError('it is empty', 'write one date per line or, if there are no days off, a comment: # none')
  const dates = new Set<string>()
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const date = line.replace(/#.*/, '').trim()
    if (date === '') continue
    if (!isDay(date)) throw new DaysOffError(`line ${index + 1} is not a date such as 2026-12-25`, 'correct it')
    dates.add(date)
  }
  return dates
}
