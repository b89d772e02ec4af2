import { DaysOffError } from '../days-off.ts'
import { type ContentLine, contentLines } from './content-lines.ts'

/** A part of a calendar, from its BEGIN to its END. */
export interface CalendarPart {
  readonly name: string
  /** The number of the line with its BEGIN, counted from 1. */
  readonly line: number
  /** Its own lines, without the lines of the parts in it. */
  readonly lines: ContentLine[]
  readonly parts: CalendarPart[]
}

/** Parts whose lines say which days are off. For all others, only the nesting is checked. */
const MEANT = new Set(['VCALENDAR', 'VEVENT', 'VTIMEZONE', 'STANDARD', 'DAYLIGHT'])

/** The calendars in a text. Throws DaysOffError if a part is missing or does not end, as in a truncated file. */
export function calendarParts(text: string): CalendarPart[] {
  const calendars: CalendarPart[] = []
  const open: CalendarPart[] = []
  for (const line of contentLines(text)) {
    const inner = open.at(-1)
    if (line.name === 'BEGIN') begin(line, inner)
    else if (line.name === 'END') end(line, inner)
    else if (!inner) throw new DaysOffError('it is not a calendar: it does not begin with VCALENDAR', EXPORT)
    else if (MEANT.has(inner.name)) inner.lines.push(line)
  }
  const cut = open.at(-1)
  if (cut) throw new DaysOffError(`it is not a calendar: the part that begins at line ${cut.line} does not end`, EXPORT)
  if (calendars.length === 0) throw new DaysOffError('it is not a calendar: it is empty', EXPORT)
  return calendars

  function begin({ line, value }: ContentLine, inner: CalendarPart | undefined): void {
    const name = value.trim().toUpperCase()
    const part: CalendarPart = { name, line, lines: [], parts: [] }
    if (!inner && name !== 'VCALENDAR')
      throw new DaysOffError('it is not a calendar: it does not begin with VCALENDAR', EXPORT)
    if (name === 'VEVENT' && inner?.name !== 'VCALENDAR') {
      throw new DaysOffError(`the event at line ${line} is inside another part`, 'end that part before the event')
    }
    const siblings = inner ? inner.parts : calendars
    siblings.push(part)
    open.push(part)
  }

  function end({ line, value }: ContentLine, inner: CalendarPart | undefined): void {
    if (inner?.name !== value.trim().toUpperCase())
      throw new DaysOffError(`it is not a calendar: line ${line} ends a part that has not begun`, EXPORT)
    open.pop()
  }
}

const EXPORT = 'export the calendar again: a whole one begins with BEGIN:VCALENDAR and ends with END:VCALENDAR'

/** The lines of a part that have this name. */
export function linesNamed({ lines }: CalendarPart, name: string): ContentLine[] {
  return lines.filter((line) => line.name === name)
}
