import type { Problem } from './diagnostic-collector.ts'

/** A change of a text that lets the parser get further, and the problem in the words of that change. */
export interface Repair {
  readonly problem: Problem
  /** The line with the problem, from 0, and the part of it to show. */
  readonly line: number
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** A change that may be a repair. `until`: the last line that it concerns. */
export type Candidate = Repair & { readonly until: number }

/** How far above the place where the parser stopped a mistake is looked for. */
export const MAX_LINES = 15

/** The problem of a text that is no YAML, with its repair. */
export function syntax(message: string, hint: string): Problem {
  return { code: 'yaml-syntax', message, hint }
}

/** Whether a line has more than a comment. */
export function isContent(line: string): boolean {
  return /^\s*[^\s#]/.test(line)
}

export function previousLine(lines: readonly string[], from: number): number | undefined {
  const found = lines.findLastIndex((line, at) => at < from && isContent(line))
  return found === -1 ? undefined : found
}
