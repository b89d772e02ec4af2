import { count } from '../core/format/figures.ts'
import { ExpressionFailure } from './failure.ts'

/**
 * The limit of one evaluation. A unit is about one evaluated node, one created list item or eight characters of created
 * text. The limit bounds both time (a tenth of a second) and memory (tens of megabytes), and is the same on every
 * machine.
 */
export const MAX_UNITS = 1_000_000
/** The maximum length of a text, in UTF-16 units. */
export const MAX_TEXT = 1_048_576

/** Counts the work of an evaluation. Throws ExpressionFailure when it exceeds the limit. */
export class Budget {
  #units = MAX_UNITS

  spend(units: number, place: { start: number; end: number }): void {
    this.#units -= units
    if (this.#units < 0) {
      throw new ExpressionFailure('the expression does too much work', place, { exhausted: true })
    }
  }

  spendText(length: number, place: { start: number; end: number }): void {
    if (length > MAX_TEXT) {
      throw new ExpressionFailure(`the expression makes a text of more than ${count(MAX_TEXT, 'character')}`, place, {
        exhausted: true,
      })
    }
    this.spend(1 + (length >> 3), place)
  }
}
