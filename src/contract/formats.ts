import { isDate } from '../core/date.ts'

const MAX_INT64 = 9_223_372_036_854_775_807n

/** The JSON Schema formats of the contract; the validators are compiled with these. */
export const formats = {
  /** An unsigned decimal string that fits in 63 bits (decision 73). */
  int64: (text: string): boolean => /^\d{1,19}$/.test(text) && BigInt(text) <= MAX_INT64,
  /** A path to a readable file; whether the file exists is known only when it is read. */
  file: (text: string): boolean => text.length > 0,
  /** RFC 3339 with an offset, for a day that exists (decision 101). */
  'date-time': (text: string): boolean =>
    DATE_TIME.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
} as const

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
