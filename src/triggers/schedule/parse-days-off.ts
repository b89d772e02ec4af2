import { type DecodedText, notUtf8 } from '../../core/decode-text.ts'
import { type DaysOff, DaysOffError, isDay } from './days-off.ts'
import { parseCalendar } from './parse-calendar.ts'
import type { TimeZone } from './time-zone.ts'

/** In UTF-16 units; a longer text is not a list of holidays. */
const MAX_LENGTH = 5_000_000

/**
 * The days off of a file: a calendar (`.ics`), or a text with one date a line and comments after `#`. Throws
 * DaysOffError for anything it cannot read, because an overlooked day off would cause an unwanted run. The errors name
 * lines and never quote them, because a document can name any file that the process may read.
 */
export function parseDaysOff(path: string, decoded: DecodedText, zone: TimeZone): DaysOff {
  try {
    return parse(path, decoded, zone)
  } catch (error) {
    if (error instanceof DaysOffError) throw error
    // Whatever a file does to the code above is a problem of the file. The message of an error may quote it.
    const what = error instanceof Error ? error.name : 'error'
    throw new DaysOffError(`reading it failed (${what})`, 'write the days as a text with one date a line')
  }
}

function parse(path: string, { text, invalid }: DecodedText, zone: TimeZone): DaysOff {
  if (text.length > MAX_LENGTH)
    throw new DaysOffError(`it has more than ${MAX_LENGTH} characters`, 'leave out what is no day off')
  // Calendars break lines within a character (RFC 5545, 3.1), and nothing that counts in them is other than ASCII.
  if (/\.ics$/i.test(path) && !text.includes('\0')) return parseCalendar(text, zone)
  if (invalid) throw new DaysOffError(notUtf8(invalid), 'save it as UTF-8')
  return parseDates(text)
}

function parseDates(text: string): DaysOff {
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
