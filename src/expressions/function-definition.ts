import type { Kind } from './types.ts'
import type { Value } from './value.ts'

/** A function or method of the expression language, as data: the reference page is generated from these. */
export interface FunctionDefinition {
  readonly name: string
  /** Kinds of the value before the dot, for a method. */
  readonly receiver?: readonly Kind[]
  readonly parameters: readonly Parameter[]
  readonly returns: Kind | 'dyn'
  readonly description: string
  readonly example: { readonly expression: string; readonly result: string }
  /** Left out where the evaluator itself does it, because the arguments are not evaluated first. */
  readonly run?: (call: FunctionCall) => Value
}

export interface Parameter {
  readonly name: string
  readonly kinds: readonly (Kind | 'dyn')[]
  readonly optional?: true
  /** What is wrong with an argument that is written out, known before anything runs. */
  readonly check?: (literal: Value) => string | undefined
}

export interface FunctionCall {
  /** The receiver of a method first. */
  readonly args: readonly Value[]
  readonly startedAt: Date | undefined
  /** Whether a step of the run has failed so far. */
  readonly failed: boolean
  /** Charges the budget before the work is done; see budget.ts for the units. */
  spend(units: number): void
  spendText(length: number): void
}

/** `formatDate(timestamp, pattern, zone?)`, as a signature for messages and the reference. */
export function signatureOf(definition: FunctionDefinition): string {
  const parameters = definition.parameters.map(({ name, optional }) => (optional ? `${name}?` : name)).join(', ')
  const receiver = definition.receiver ? `${definition.receiver.join('|')}.` : ''
  return `${receiver}${definition.name}(${parameters})`
}

export const textParameter = (name: string) => ({ name, kinds: ['string'] }) as const

/** The argument at an index as text; the evaluator has checked the kinds before. */
export function textAt({ args }: FunctionCall, index: number): string {
  const value = args[index]
  return typeof value === 'string' ? value : ''
}
