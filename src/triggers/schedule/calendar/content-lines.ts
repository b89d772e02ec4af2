import { DaysOffError } from '../days-off.ts'

/** A line of a calendar, with its folded parts joined. */
export interface ContentLine {
  /** The line number of its first part, counted from 1. */
  readonly line: number
  /** In upper case. */
  readonly name: string
  /** The text between the name and the value, not yet parsed. */
  readonly parameters: string
  readonly value: string
}

/** What a name, its parameters and a colon look like. A colon between quotes belongs to a parameter. */
const HEAD = /^([\w.-]+)((?:;[^:"]*(?:"[^"]*"[^:"]*)*)?):/
/** The names of the lines that matter for days off. */
const MEANT =
  /^(BEGIN|END|DTSTART|DTEND|DURATION|RRULE|RDATE|EXRULE|EXDATE|RECURRENCE-ID|UID|STATUS|SEQUENCE|METHOD|TZ[A-Z]+)$/i

/**
 * The lines of a calendar (RFC 5545, 3.1). Empty lines, and line breaks of any system, are accepted. Throws
 * DaysOffError for anything else.
 */
export function* contentLines(text: string): Generator<ContentLine> {
  let line = 0
  let content = ''
  for (const [index, part] of partsOf(text.replace(/^\uFEFF/, '')).entries()) {
    if (line > 0 && /^[ \t]/.test(part)) {
      content += part.slice(1)
      continue
    }
    if (line > 0 && content !== '') yield contentLine(line, content)
    line = index + 1
    content = part
  }
  if (content.trim() !== '') yield contentLine(line, content)
}

/** The lines of a file. Carriage returns before a line feed belong to that line feed. */
function partsOf(text: string): string[] {
  // This does not use a pattern, which would look at many carriage returns again and again.
  return text.split('\n').flatMap((part) => withoutReturns(part).split('\r'))
}

function withoutReturns(part: string): string {
  let end = part.length
  while (part[end - 1] === '\r') end -= 1
  return part.slice(0, end)
}

function contentLine(line: number, content: string): ContentLine {
  const [head, name = '', parameters = ''] = HEAD.exec(content) ?? []
  if (head === undefined) {
    // A missing quote does not matter in a line that says nothing about days, such as the name of a guest.
    const other = /^([\w.-]+)[;:]/.exec(content)?.[1]
    if (other !== undefined && !MEANT.test(other)) return { line, name: other.toUpperCase(), parameters: '', value: '' }
    const hint = 'a line is NAME:VALUE, and a continuation line begins with a space'
    throw new DaysOffError(`it is not a calendar: line ${line} cannot be read`, hint)
  }
  return { line, name: name.toUpperCase(), parameters, value: content.slice(head.length) }
}

/** The value of a parameter, without its quotes. */
export function parameterOf({ parameters }: ContentLine, name: string): string | undefined {
  for (const [, key = '', quoted, plain] of parameters.matchAll(/;([^=;]+)=(?:"([^"]*)"|([^;]*))/g))
    if (key.toUpperCase() === name) return quoted ?? plain ?? ''
  return undefined
}
