import type { Fields } from './holdings.ts'
import { invalid } from './refusal.ts'

/** A request with a known path. */
export interface Asked {
  /** The values of its path. */
  readonly values: readonly string[]
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** The body as a JSON object; empty if there is none. */
  json(): Fields
}

export interface Answer {
  readonly status: number
  /** Undefined: no body at all. */
  readonly body?: unknown
}

/** A text of at most `limit` characters; undefined if it is absent. */
export function text(fields: Fields, name: string, limit: number): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value.length > limit) throw invalid(`${name} is not a text of ${limit} characters`)
  return value
}

export function required(fields: Fields, name: string, limit: number): string {
  const value = text(fields, name, limit)
  if (value === undefined || value === '') throw invalid(`${name} is required`)
  return value
}

export function oneOf(value: unknown, name: string, allowed: readonly unknown[]): void {
  if (!allowed.includes(value)) throw invalid(`${name} must be one of ${allowed.join(', ')}`)
}

/** An integer as a bigint, because a double may not hold it. */
export function integer(fields: Fields, name: string): bigint | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'bigint') return value
  if (typeof value !== 'number' || !Number.isInteger(value)) throw invalid(`${name} is not an integer`)
  return BigInt(value)
}

export function flag(fields: Fields, name: string): void {
  const value = fields[name]
  if (value !== undefined && value !== null && typeof value !== 'boolean') throw invalid(`${name} is not a boolean`)
}
