import { isDate } from '../../core/date.ts'

/** Days without slots, read from a file. */
export interface DaysOff {
  /** Whether a local date, such as `2026-12-25`, is a day off. Throws an AudienceError if the file cannot be read. */
  has(date: string): boolean
}

/** A line of a file of days off, or a part of a calendar, cannot be used. The error quotes nothing from the file. */
export class DaysOffError extends Error {
  override readonly name = 'DaysOffError'
  /** How to repair it. */
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Whether a string is a calendar day, such as `2026-02-28`. Years before 1000 stand for "no date". */
export function isDay(text: string): boolean {
  return !text.startsWith('0') && isDate(text)
}
