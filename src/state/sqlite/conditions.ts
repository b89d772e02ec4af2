import type { SQLInputValue } from 'node:sqlite'

/** The conditions of a query that are known only at run time. */
export class Conditions {
  readonly values: SQLInputValue[] = []
  readonly #texts: string[] = []

  add(text: string, ...values: readonly SQLInputValue[]): void {
    this.#texts.push(text)
    this.values.push(...values)
  }

  isOneOf(column: string, values: readonly SQLInputValue[]): void {
    this.add(`${column} IN (${values.map(() => '?').join(', ')})`, ...values)
  }

  /** Empty if there are none. */
  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }
}
