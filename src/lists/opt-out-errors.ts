import type { FileSignal } from '../contract/enumerations.ts'
import { isFormed } from '../contract/signal-key.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import type { UnusableLine } from './first-line-with.ts'
import { isName } from './header-field.ts'
import type { ListInput } from './list-input.ts'
import { OPEN_QUOTE } from './opt-out-column.ts'
import type { StrayColumn } from './stray-column.ts'

/** The purpose for which an opt-out list is read. */
export interface OptOutUse {
  readonly signal: FileSignal
  /**
   * `suppress`: for a list of keys of the signal. `other`: a file that could have keys of the signal may have none.
   * `hashes`: like `other`, for a list with hashes; e-mail addresses are the only keys that are looked for in every
   * column of the file. `check`: the file only serves to find people in a list; if all its rows can be read and none is
   * a key, it has no keys. `proof`: as `suppress`, before there is a list.
   */
  readonly purpose: 'suppress' | 'other' | 'hashes' | 'check' | 'proof'
}

/**
 * Reads opt-out lists. Throws `opt-outs-unusable` if one cannot be read, because the keys of people who may have opted
 * out must not be sent.
 */
export async function readingOptOuts<T>(
  read: () => Promise<T>,
  purpose: OptOutUse['purpose'] = 'suppress',
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AudienceError) || !UNREADABLE.includes(error.code)) throw error
    const named = 'privacy.suppress of audience.yaml names the opt-out lists; correct the file, then run again'
    throw unusable(`${refusal({ purpose })}: ${error.message}`, purpose === 'check' ? error.hint : named)
  }
}

const UNREADABLE = ['list-unreadable', 'list-no-column', 'list-column-type']

/** The file does not prove that it is an opt-out list. */
export function noProof({ given }: ListInput, use: OptOutUse, what: string): AudienceError {
  return unusable(
    `${given} does not prove that it is an opt-out list, so ${outcomeOf(use)}: ${what}`,
    `look at the file: it may be an error page, or cut off; ${expected(use)}`,
  )
}

/** Rows of an opt-out list cannot be used: they may stand for people who opted out. */
export function unusableRows(
  { given }: ListInput,
  use: OptOutUse,
  { bad, rows, line, isOpen = false }: { bad: number; rows: number } & Partial<UnusableLine>,
) {
  const where = line === undefined ? '' : `; the first is on line ${line}${isOpen ? `, which ${OPEN_QUOTE}` : ''}`
  const repair = isOpen
    ? `close the quote on line ${line}, or take the line out; a quote within quotes is written twice`
    : `correct these rows or take them out: each row must have the ${use.signal === 'EMAIL' ? 'address' : 'key'} alone, without a sign, a number or a word beside it`
  const what = use.purpose === 'check' ? '' : 'the opt-out list '
  return unusable(
    `of the ${count(rows, 'row')} of ${what}${given}, ${bad} cannot be used, so ${outcomeOf(use)}${where}`,
    `${repair}; ${expected(use)}; docs/privacy.md says how these lists are read`,
  )
}

/** An opt-out list for a signal has no key of that signal. */
export function noOptOut({ given }: ListInput, use: OptOutUse): AudienceError {
  return unusable(
    `the opt-out list ${given} has no ${use.signal} key, so ${outcomeOf(use)}`,
    `${expected(use)}; docs/privacy.md says how these lists are read`,
  )
}

/** There are keys in a column that is not read; `line` is the first line with one. */
export function hiddenKeys(
  { given }: ListInput,
  use: OptOutUse,
  { column, name, kind, line }: StrayColumn & { line: number | undefined },
): AudienceError {
  const { signal } = use
  const shown = isName(name) ? JSON.stringify(name) : '…'
  const called = isName(name) ? ` (${shown})` : ''
  const where = typeof column === 'number' ? `its column ${column}${called}` : `one of its columns${called}`
  const why = kind === 'same' ? 'another column has that name too' : 'the name of that column does not say so'
  const first = line === undefined ? '' : `; the first is on line ${line}`
  return unusable(
    `${refusal(use)}: ${given} has ${signal} keys in ${where}, and ${why}${first}`,
    use.purpose === 'check'
      ? 'give a file with one column of keys'
      : `write { file: ${given}, column: ${typeof column === 'number' ? column : shown}, signal: ${signal} } into privacy.suppress of audience.yaml, instead of only the file, with one entry for each column whose people opted out. docs/privacy.md says how these lists are read`,
  )
}

function unusable(message: string, hint: string | undefined): AudienceError {
  return failedError('opt-outs-unusable', message, hint)
}

function refusal(use: Pick<OptOutUse, 'purpose'>): string {
  const what = use.purpose === 'check' ? '' : 'an opt-out list cannot be used, so '
  return `${what}${outcomeOf(use)}`
}

function outcomeOf({ purpose }: Pick<OptOutUse, 'purpose'>): string {
  if (purpose === 'proof') return 'no list can be prepared'
  return purpose === 'check' ? 'no list was searched' : 'nothing was prepared'
}

function expected({ signal, purpose }: OptOutUse): string {
  const keys = isFormed(signal) ? ', or one key per line and nothing else' : ''
  const header = `give it a header that names the signal of each column, such as ${signal.toLowerCase()}${keys}`
  return purpose === 'check'
    ? header
    : `${header}; if its columns have other names, write { file, column, signal } into privacy.suppress`
}
