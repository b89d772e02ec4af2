import type { Type } from './types.ts'
import type { Kind, Timestamp, Value } from './value.ts'

/** A function or method of the expression language, as data. The reference page is generated from this data. */
export interface FunctionDefinition {
  readonly name: string
  /** For a method: the kinds of value before the dot. */
  readonly receiver?: readonly Kind[]
  readonly parameters: readonly Parameter[]
  /** If there are several kinds, the result has one of them; `infer` picks it when the arguments allow that. */
  readonly returns: Kind | 'dyn' | readonly Kind[]
  readonly description: string
  readonly example: { readonly expression: string; readonly result: string }
  /** What is known before the run beyond `returns` and `parameters`: the exact type of the result, or an error. */
  readonly infer?: (args: readonly CheckedArgument[]) => Type | ArgumentProblem | undefined
  /** Absent if the evaluator itself does the work, because the arguments are not evaluated first. */
  readonly run?: (call: FunctionCall) => Value
}

export interface Parameter {
  readonly name: string
  readonly kinds: readonly (Kind | 'dyn')[]
  readonly optional?: true
  /** The problem with a literal argument, found before anything runs. */
  readonly check?: (literal: Value) => string | undefined
}

/** What is known about an argument before the run; the receiver of a method comes first. */
interface CheckedArgument {
  readonly type: Type
  /** The value, if the document states it and it is neither a list nor a map. */
  readonly literal: Value | undefined
  /** The number of items, if the document states the list. */
  readonly items: number | undefined
}

interface ArgumentProblem {
  /** The index of the argument; the receiver of a method has the index 0. */
  readonly argument: number
  readonly problem: string
}

export interface FunctionCall {
  /** For a method, the receiver comes first. */
  readonly args: readonly Value[]
  readonly startedAt: Timestamp | undefined
  /** Whether a step of the run has failed so far. */
  readonly failed: boolean
  /** Charges the budget before the work is done; budget.ts defines the units. */
  spend(units: number): void
  spendText(length: number): void
}

/** `formatDate(timestamp, pattern, zone?)`, as a signature for messages and the reference. */
export function functionSignature(definition: FunctionDefinition): string {
  const parameters = definition.parameters.map(({ name, optional }) => (optional ? `${name}?` : name)).join(', ')
  const receiver = definition.receiver ? `${definition.receiver.join('|')}.` : ''
  return `${receiver}${definition.name}(${parameters})`
}

export const textParameter = (name: string) => ({ name, kinds: ['string'] }) as const

/** The argument at an index as text; the evaluator has already checked the kinds. */
export function textAt({ args }: FunctionCall, index: number): string {
  const value = args[index]
  return typeof value === 'string' ? value : ''
}
