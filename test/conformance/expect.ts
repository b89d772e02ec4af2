import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, type JsonObject, stringifyJson } from '../../src/core/json.ts'
import type { Answer } from './http-client.ts'

/** The service does not do what the documents say. */
export class Deviation extends Error {
  override readonly name = 'Deviation'
}

export type Expect = ReturnType<typeof createExpect>

/** The assertions of one case. They are counted, so a case that asserts nothing cannot pass. */
export function createExpect() {
  let count = 0
  const expect = {
    get count(): number {
      return count
    },

    /** `fact` completes "expected …". */
    that(fact: string, holds: boolean, got?: unknown): void {
      count += 1
      if (!holds) throw new Deviation(`expected ${fact}${got === undefined ? '' : `, got ${shown(got)}`}`)
    },

    equal(what: string, got: unknown, expected: unknown): void {
      expect.that(`${what} to be ${shown(expected)}`, isDeepStrictEqual(got, expected), got ?? 'nothing')
    },

    status(answer: Answer, ...expected: readonly number[]): void {
      expect.that(
        `${answer.request} ${answer.sent} to be answered ${expected.join(' or ')}`.replace('  ', ' '),
        expected.includes(answer.status),
        `${answer.status} ${answer.text.slice(0, 300)}`.trim(),
      )
    },

    text(what: string, got: unknown): string {
      expect.that(`${what} to be a string`, typeof got === 'string', got ?? 'nothing')
      return String(got)
    },

    /** The objects under `key` of an answer. */
    items(answer: Answer, key: string): readonly JsonObject[] {
      expect.status(answer, 200)
      const items = answer.body[key]
      expect.that(`${answer.request} to have a list "${key}"`, Array.isArray(items), answer.text.slice(0, 300))
      return Array.isArray(items) ? items.filter(isJsonObject) : []
    },
  }
  return expect
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
