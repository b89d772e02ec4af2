import type { NotBy } from './approval.ts'
import type { Position } from './diagnostic.ts'
import type { Json } from './json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { DocumentRule } from './notify-rule.ts'

/**
 * A pipeline document after parsing: positions kept, defaults filled in, expressions found but not evaluated.
 * Integers are bigint throughout, so that 64-bit ids stay exact.
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
  /** What a run computes when it begins, in the order of the document: each may read those above it. */
  readonly variables: Readonly<Record<string, Variable>>
  /** Names of the environment variables that expressions may read. */
  readonly env: readonly string[]
  /** Triggers that start runs under the profile that the document was read with. */
  readonly triggers: readonly Trigger[]
  /** Triggers that start runs only under other profiles. */
  readonly otherTriggers?: readonly Trigger[]
  readonly concurrency?: Concurrency
  /** The person or team that answers for it. */
  readonly owner?: string
  readonly notify?: DocumentRule
  readonly timeoutMs?: number
  readonly steps: readonly StepOrBlock[]
  readonly outputs: Readonly<Record<string, Template>>
  /** Whether an expression names `last`. If none does, a run does not need the outputs of the last run. */
  readonly readsLast: boolean
  /** Run one after another when a step failed. */
  readonly onFailure: readonly StepOrBlock[]
  /** Run one after another at the end, whatever happened. */
  readonly finally: readonly StepOrBlock[]
}

const SCALAR_TYPES = ['string', 'integer', 'number', 'boolean', 'file', 'date'] as const
export const FIELD_TYPES = [...SCALAR_TYPES, 'enum'] as const
export const INPUT_TYPES = [...FIELD_TYPES, 'list'] as const
/** The types of the items of a list, unless they are objects. */
export const ITEM_TYPES = SCALAR_TYPES

/** What a single value may be: a field of the objects in a list. */
export interface FieldDeclaration {
  readonly type: (typeof FIELD_TYPES)[number]
  readonly description?: string
  /** A value without a default is required. */
  readonly default?: Json
  /** For an enum. */
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
  /** Of its value, as expressions read it. */
  readonly schema: JsonSchema
}

/** An expression in CEL, as it stands between `${{` and `}}`. */
export interface Expression {
  readonly source: string
  /** The position of the first character of `source`. */
  readonly at: Position
  /** The document writes it over several lines or with escapes, so positions inside it cannot be computed from `at`. */
  readonly folded?: true
}

/** A value of the document that contains expressions. */
export type Template =
  | { readonly kind: 'value'; readonly value: Json }
  /** One whole expression: its value keeps its type. */
  | { readonly kind: 'expression'; readonly expression: Expression }
  /** Text with expressions in it: always a string. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: Readonly<Record<string, Template>> }

interface StepBase {
  /** Unique in the document, also among the steps of blocks. */
  readonly id: string
  readonly name?: string
  /** Ids of the steps that must finish first; the step above if the document names none. In a block: of its steps. */
  readonly needs: readonly string[]
  readonly if?: Expression
  readonly continueOnError: boolean
  readonly at: Position
}

export interface Step extends StepBase {
  /** Name of its step type, such as `files.upload`. */
  readonly uses: string
  /** Always of kind `map`. */
  readonly with: Template
  /** A step of a block has none. */
  readonly forEach?: ForEach
  /** How to wait for the job that it starts; false: do not. */
  readonly await: AwaitRule | false
  readonly retry?: RetryPolicy
  readonly timeoutMs?: number
  readonly expect: readonly Expectation[]
  readonly guard?: Guard
}

/** A forEach over several steps: each item has its own execution of each of them. */
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

/** Every step that has a step type: the steps of blocks too, and not the blocks. */
export function stepsOf(pipeline: Pipeline): readonly Step[] {
  const known = stepsOfPipelines.get(pipeline)
  if (known) return known
  const steps = withoutBlocks(sectionEntries(pipeline))
  stepsOfPipelines.set(pipeline, steps)
  return steps
}

/** The steps among entries, those of blocks in their place. */
export function withoutBlocks(entries: readonly StepOrBlock[]): readonly Step[] {
  return entries.flatMap((entry) => (isBlock(entry) ? entry.steps : [entry]))
}

export interface ForEach {
  readonly items: Template
  /** Of an item, as expressions read it; absent if nothing is known of it. */
  readonly itemSchema?: JsonSchema
  /** The name of the item in expressions. */
  readonly as: string
  /** How many items are worked on at the same time. */
  readonly maxParallel: number
  /** The name of an item, unique in the list. Without it, items go by their index. */
  readonly key?: Template
  /** How many items may fail. With one more the forEach fails, and no further item begins. */
  readonly maxFailures?: { readonly count: number } | { readonly percent: number }
}

export interface AwaitRule {
  readonly timeoutMs: number
  /** While the job waits for a person at another participant. */
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
  /** Which failures are worth another attempt. */
  readonly on: readonly RetryReason[]
}

export const RETRY_REASONS = ['jobFailed', 'rejected', 'unavailable', 'timeout', 'expectation'] as const
export type RetryReason = (typeof RETRY_REASONS)[number]

export interface Expectation {
  readonly check: Expression
  readonly message: Template
}

/** Keeps a number of a step within what it has been, and within limits. */
export interface Guard {
  /** The number. */
  readonly of: Expression
  /**
   * It learns from the values of the newest `runs` good runs, and judges by them once there are `warmUp`; false: only
   * `min` and `max` count.
   */
  readonly learn: { readonly runs: number; readonly warmUp: number } | false
  /** A number, or an expression that gives one. */
  readonly min?: Template
  readonly max?: Template
  readonly onBreach: 'fail' | 'approve' | 'warn'
  /** Who may not approve. */
  readonly notBy?: NotBy
}

export interface Concurrency {
  readonly group: Template
  /** How many runs of the group may run at once. */
  readonly limit: number
  readonly onConflict: 'queue' | 'skip' | 'cancelRunning' | 'fail'
}

export type Trigger = ScheduleTrigger | WatchTrigger | RemoteTrigger | AfterTrigger

interface TriggerBase {
  readonly id: string
  /** It starts runs only under these; absent: under all. */
  readonly profiles?: readonly string[]
  /** The condition for starting a run. */
  readonly if?: Expression
  /** Inputs of the run that it starts. */
  readonly inputs: Readonly<Record<string, Template>>
  readonly at: Position
}

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

export interface ScheduleTrigger extends TriggerBase {
  readonly kind: 'schedule'
  /** Five fields. */
  readonly cron: string
  readonly timezone: string
  /** What happens to the slots that passed while no daemon ran. */
  readonly missed: 'none' | 'last' | 'all'
  /** Older slots are missed, even if `missed` says otherwise. */
  readonly catchupWindowMs: number
  readonly overlap: 'skip' | 'queue' | 'cancelRunning' | 'allow'
  readonly jitterMs: number
  /** Whether slots of the hour that a clock change repeats fire in the first one only. Not given: an interval fires in both. */
  readonly repeatedHour?: 'once' | 'twice'
  /** Days without slots, in the schedule's time zone. */
  readonly exclude: {
    /** `2026-12-25`. */
    readonly dates: readonly string[]
    readonly weekdays: readonly (typeof WEEKDAYS)[number][]
    /** Path of a calendar (.ics) or of a text with a date a line, relative to the document. */
    readonly file?: string
  }
  /** `06:00` in the schedule's time zone: a run that has not ended by then is late. */
  readonly deadline?: string
}

export interface WatchTrigger extends TriggerBase {
  readonly kind: 'watch'
  /** Relative to the document, like `done` and `failed`. */
  readonly path: string
  readonly pattern: string
  readonly settleMs: number
  readonly done: string
  readonly failed: string
  /** The same content starts a run each time a file with it is dropped. */
  readonly repeat: boolean
  readonly precheck: {
    readonly maxBytes: number
    /** The signal that rows must have. */
    readonly signal?: string
    /** The share of rows that must have it, from 0 to 1. */
    readonly minimumShare: number
  }
}

/** A watch of a source on another machine. Its runs have a trigger of the kind `watch`. */
export interface RemoteTrigger extends TriggerBase, Pick<WatchTrigger, 'settleMs' | 'repeat' | 'precheck'> {
  readonly kind: 'remote'
  /** The name of a source in audience.yaml. */
  readonly source: string
  /** A folder there and a pattern of names: `incoming/*.csv`. */
  readonly path: string
  readonly everyMs: number
  /** What becomes of a file there whose run has succeeded, and of any other. */
  readonly done: RemoteAct
  readonly failed: RemoteAct
  /** Its runs get sets of files. */
  readonly waitFor?: WaitFor
}

/** Which files of a source are a set. Each pattern has one `*`. */
export type WaitFor = (
  | { readonly kind: 'all'; readonly patterns: readonly string[] }
  | { readonly kind: 'manifest'; readonly pattern: string }
) & {
  /** How long after its first file a set is complete, or fails; without it, it waits for ever. */
  readonly withinMs?: number
}

/** As people write it: `partner:incoming/*.csv`. */
export function sourcePath({ source, path }: Pick<RemoteTrigger, 'source' | 'path'>): string {
  return `${source}:${path}`
}

export type RemoteAct =
  | { readonly act: 'keep' | 'delete' }
  | { readonly act: 'move'; readonly folder: string }
  | { readonly act: 'tag'; readonly key: string; readonly value: string }

/** Which ends of runs count for an `after`. */
export const ENDS_THAT_COUNT = ['success', 'failure', 'any'] as const

export interface AfterTrigger extends TriggerBase {
  readonly kind: 'after'
  /** The names of the pipelines that it comes after: one run for each set of ended runs, one of each. */
  readonly pipelines: readonly string[]
  readonly on: (typeof ENDS_THAT_COUNT)[number]
  /** How long after the first run of a set the last one may end. */
  readonly withinMs: number
  /** What happens to the sets that became complete while no daemon ran. */
  readonly missed: 'none' | 'last' | 'all'
  /** Older sets are missed, even if `missed` says otherwise. */
  readonly catchupWindowMs: number
}
