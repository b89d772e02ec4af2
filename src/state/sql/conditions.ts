/** Query conditions that are known only at run time, and their values. */
export class Conditions {
  readonly values: unknown[] = []
  readonly #texts: string[] = []

  /** Adds a condition. Each `?` stands for the next value. */
  add(text: string, ...values: readonly unknown[]): void {
    let next = 0
    this.#texts.push(text.replaceAll('?', () => this.value(values[next++])))
  }

  /**
   * Adds the condition that a column has one of these values. A list of one value becomes an equality, because only an
   * equality keeps the order of an index.
   */
  isOneOf(column: string, values: readonly unknown[]): void {
    if (values.length === 1) this.add(`${column} = ?`, values[0])
    else this.add(`${column} IN (${values.map(() => '?').join(', ')})`, ...values)
  }

  /** Adds a value, and returns its placeholder. */
  value(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** The WHERE clause; empty if there are no conditions. */
  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }
}
