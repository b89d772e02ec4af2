import type { NotBy } from './approval.ts'
import type { Position } from './diagnostic.ts'
import type { Json } from './json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { DocumentRule } from './notify-rule.ts'
import type { Expression, Template, TemplateMap } from './template.ts'
import type { Trigger } from './trigger.ts'

/**
 * A parsed pipeline document: positions are kept, defaults are filled in, expressions are found but not evaluated.
 * Integers are always bigint, so that 64-bit ids stay exact.
 */
export interface Pipeline {
  /** The path of the document as it was given; `file` inputs are relative to its folder. */
  readonly file: string
  /** The whole document. A run keeps it and resumes with it, even if the file changes later. */
  readonly text: string
  /** SHA-256 of the text, hex. */
  readonly digest: string
  readonly name: string
  readonly description?: string
  readonly inputs: Readonly<Record<string, InputDeclaration>>
  /** What a run computes when it begins, in the order of the document: each variable may read those above it. */
  readonly variables: Readonly<Record<string, Variable>>
  /** Names of the environment variables that expressions may read. */
  readonly env: readonly string[]
  /** Triggers that start runs under the profile that the document was read with. */
  readonly triggers: readonly Trigger[]
  /** Triggers that start runs only under other profiles. */
  readonly otherTriggers?: readonly Trigger[]
  readonly concurrency?: Concurrency
  /** The person or team that is responsible for it. */
  readonly owner?: string
  readonly notify?: DocumentRule
  readonly timeoutMs?: number
  readonly steps: readonly StepOrBlock[]
  readonly outputs: Readonly<Record<string, Template>>
  /** Whether an expression names `last`. If none does, a run does not need the outputs of the last run. */
  readonly readsLast: boolean
  /** Run one after another if a step has failed. */
  readonly onFailure: readonly StepOrBlock[]
  /** Run one after another at the end, whatever happened. */
  readonly finally: readonly StepOrBlock[]
}

const SCALAR_TYPES = ['string', 'integer', 'number', 'boolean', 'file', 'date'] as const
export const FIELD_TYPES = [...SCALAR_TYPES, 'enum'] as const
export const INPUT_TYPES = [...FIELD_TYPES, 'list'] as const
/** The types of list items that are not objects. */
export const ITEM_TYPES = SCALAR_TYPES

/** The declaration of a single value: a field of the objects in a list. */
export interface FieldDeclaration {
  readonly type: (typeof FIELD_TYPES)[number]
  readonly description?: string
  /** A value without a default is required. */
  readonly default?: Json
  /** The values of an enum. */
  readonly values?: readonly string[]
}

export interface InputDeclaration extends Omit<FieldDeclaration, 'type'> {
  readonly type: (typeof INPUT_TYPES)[number]
  /** For a list: the type of its items, or the fields of the objects in it. */
  readonly items?: (typeof ITEM_TYPES)[number] | Readonly<Record<string, FieldDeclaration>>
  readonly at: Position
}

export interface Variable {
  readonly value: Template
  /** The schema of its value, as expressions read it. */
  readonly schema: JsonSchema
}

interface StepBase {
  /** Unique in the document, including the steps of blocks. */
  readonly id: string
  readonly name?: string
  /**
   * Ids of the steps that must finish first; the step above if the document names none. In a block, these are steps of
   * the block.
   */
  readonly needs: readonly string[]
  readonly if?: Expression
  readonly continueOnError: boolean
  readonly at: Position
}

export interface Step extends StepBase {
  /** Name of its step type, such as `files.upload`. */
  readonly uses: string
  readonly with: TemplateMap
  /** A step of a block has no forEach. */
  readonly forEach?: ForEach
  /** How to wait for the job that it starts; false: do not wait. */
  readonly await: AwaitRule | false
  readonly retry?: RetryPolicy
  readonly timeoutMs?: number
  readonly expect: readonly Expectation[]
  readonly guard?: Guard
}

/** A forEach over several steps: each item has its own execution of each step. */
export interface Block extends StepBase {
  readonly forEach: ForEach
  readonly steps: readonly Step[]
}

export type StepOrBlock = Step | Block

export function isBlock(step: StepOrBlock): step is Block {
  return 'steps' in step
}

/** The entries of all sections. */
export function sectionEntries({ steps, onFailure, finally: last }: Pipeline): readonly StepOrBlock[] {
  return [...steps, ...onFailure, ...last]
}

const stepsOfPipelines = new WeakMap<Pipeline, readonly Step[]>()

/** Every step that has a step type: includes the steps of blocks, but not the blocks. */
export function stepsOf(pipeline: Pipeline): readonly Step[] {
  const known = stepsOfPipelines.get(pipeline)
  if (known) return known
  const steps = withoutBlocks(sectionEntries(pipeline))
  stepsOfPipelines.set(pipeline, steps)
  return steps
}

/** The steps among entries, with the steps of each block in its place. */
export function withoutBlocks(entries: readonly StepOrBlock[]): readonly Step[] {
  return entries.flatMap((entry) => (isBlock(entry) ? entry.steps : [entry]))
}

export interface ForEach {
  readonly items: Template
  /** The schema of an item, as expressions read it; absent if nothing is known about it. */
  readonly itemSchema?: JsonSchema
  /** The name of the item in expressions. */
  readonly as: string
  /** How many items are worked on at the same time. */
  readonly maxParallel: number
  /** The name of an item, unique in the list. If absent, items are known by their index. */
  readonly key?: Template
  /** How many items may fail. If more fail, the forEach fails and no further item begins. */
  readonly maxFailures?: { readonly count: number } | { readonly percent: number }
}

export interface AwaitRule {
  readonly timeoutMs: number
  /** The limit while the job waits for a person at another participant. */
  readonly approvalTimeoutMs: number
  readonly poll: { readonly initialMs: number; readonly maxMs: number }
  /** The job statuses that count as success. */
  readonly accept: readonly string[]
}

export interface RetryPolicy {
  readonly maxAttempts: number
  readonly delayMs: number
  readonly backoff: number
  readonly maxDelayMs: number
  /** Which failures are retried. */
  readonly on: readonly RetryReason[]
}

export const RETRY_REASONS = ['jobFailed', 'rejected', 'unavailable', 'timeout', 'expectation'] as const
export type RetryReason = (typeof RETRY_REASONS)[number]

export interface Expectation {
  readonly check: Expression
  readonly message: Template
}

/** Checks that a number from a step is within the range of earlier values, and within limits. */
export interface Guard {
  /** The number to check. */
  readonly of: Expression
  /**
   * The guard learns from the values of the newest `runs` good runs, and judges by them once there are at least
   * `warmUp` of them. If false, only `min` and `max` count.
   */
  readonly learn: { readonly runs: number; readonly warmUp: number } | false
  /** A number, or an expression that evaluates to one. */
  readonly min?: Template
  readonly max?: Template
  readonly onBreach: 'fail' | 'approve' | 'warn'
  /** Who may not approve. */
  readonly notBy?: NotBy
}

export interface Concurrency {
  readonly group: Template
  /** How many runs of the group may run at the same time. */
  readonly limit: number
  readonly onConflict: 'queue' | 'skip' | 'cancelRunning' | 'fail'
}
