import type { FileSignal } from '../contract/enumerations.ts'
import type { Delimiter } from './csv-dialect.ts'

/**
 * The rules for normalising keys. A list names them, so that a change to the rules is visible. The service has only the
 * latest rules, so a document that names earlier ones gets the latest, too.
 */
export const NORMALISATIONS = ['service/1', 'service/2', 'service/3'] as const
export const NORMALISATION = 'service/3'

/** The list that a step asks for. */
export interface ListRequest {
  readonly from: ListOrigin
  /** The column with the keys: its name, or its number from 1. Either this or `sql`. */
  readonly column?: string | number | undefined
  /** A query on `input` that gives one column. */
  readonly sql?: string | undefined
  readonly signal: FileSignal
  readonly hash?: 'none' | 'sha256' | undefined
}

/**
 * A file, or a source of audience.yaml. A source on another machine needs a path. A `{date}` in the source or in that
 * path needs a day.
 */
interface ListOrigin {
  readonly file?: string | undefined
  readonly source?: string | undefined
  /** A folder at the source, and a pattern for file names. */
  readonly path?: string | undefined
  readonly date?: string | undefined
  /** The character between the columns of CSV; guessed if absent. */
  readonly delimiter?: Delimiter | undefined
}

/** The step execution that a list belongs to; its file is removed with the run. */
export interface ListPlace {
  readonly runId: string
  readonly stepKey: string
  readonly pipeline: string
}

/**
 * The figures of a list: rows = keys + suppressed + duplicates + empty + bad. They contain no row and no key, so they
 * may be recorded and shown.
 */
export type ListFigures = {
  rows: number
  /** The keys in the file, all different. */
  keys: number
  /** The rows whose key an earlier row already has. */
  duplicates: number
  /** The rows without a value. */
  empty: number
  /** The rows whose value is not a key of the signal, and the lines that cannot be read. */
  bad: number
  badShare: number
  /** The keys that are left out because an opt-out list has them. */
  suppressed: number
  bytes: number
  sha256: string
  normalisation: (typeof NORMALISATIONS)[number]
}
