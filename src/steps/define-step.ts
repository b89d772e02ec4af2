import type { FileHandle } from 'node:fs/promises'
import type { ApiClient } from '../adapter/api-client.ts'
import { withoutServiceLimits } from '../contract/validate-input.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import type { ErrorReport } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { JsonSchema, ObjectSchema, Static } from '../core/json-schema.ts'
import type { FinalStatus } from '../core/run.ts'
import type { Redact } from '../core/secrets.ts'
import type { StepType } from '../core/step-type.ts'
import { type SchemaViolation, violationsOf } from '../core/validation.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { validators } from '../generated/validators.ts'
import type { Lists } from '../lists/lists.ts'
import type { Membership } from '../membership/membership.ts'
import type { Post } from '../notifications/channels/post-json.ts'
import type { Forecast, ForecastQuestion } from '../pipeline/step-plan.ts'
import type { Claimed, ClaimHolder } from '../state/claims.ts'
import type { MadeThings, ReadableMadeThings } from '../state/made-things.ts'
import type { StepMemory } from '../state/step-memory.ts'

/** What the author of a step type writes: data, and the functions that run and plan it. */
export interface StepDefinition<Input, Output> extends Omit<StepType, 'check' | 'startsJob'> {
  /** Rules between fields of the input: each is a JSON Schema whose `description` is the error text. */
  readonly rules?: readonly JsonSchema[]
  /** Checks that schema and rules cannot express. */
  readonly check?: (input: unknown) => readonly SchemaViolation[]
  /** Whether it starts a job that `await` applies to; default false. */
  readonly startsJob?: boolean
  /** Resolves with the outputs, which fit `output`. */
  run(step: StepRun<Input>): Promise<Output>
  /** Forecasts what the step would do now. Reads the service and files of this machine; writes nothing. */
  plan(question: PlanQuestion<Input>, deps: StepPlanDeps): Forecast | Promise<Forecast>
}

/** A step type together with its implementation. */
export interface RunnableStepType extends StepType, Pick<StepDefinition<JsonObject, JsonObject>, 'run' | 'plan'> {
  /** The schema from which `check` is compiled. */
  readonly compiled: JsonSchema
}

/** One execution of a step: its checked input, and what it works with. */
export interface StepRun<Input = JsonObject> extends Pick<StepRequest, 'await'> {
  /** The step's `with`, evaluated and checked, in its in-memory form. */
  readonly input: Input
  readonly context: StepContext
  readonly services: StepServices
}

export interface PlanQuestion<Input> extends Omit<ForecastQuestion, 'input'> {
  /** The fields of `with` that are known now. */
  readonly input: Partial<Input>
  /** All of `with`; undefined if a part of it is known only during the run. */
  readonly known: Input | undefined
}

/** What step types need for their work. */
export interface StepServices {
  readonly api: ApiClient
  readonly stepMemory: StepMemory
  readonly claims: StepClaims
  /** The resources that runs made at the service, so that no step takes a resource of another step. */
  readonly made: MadeThings
  /** The profile whose service `api` is; part of every step memory key. */
  readonly profile: string
  readonly clock: SteadyClock
  readonly childRuns: ChildRuns
  /** The prepared lists of the state. */
  readonly lists: Lists
  /** The fingerprints of the lists of earlier runs. */
  readonly membership: Membership
  /** Opens a file for reading; throws if documents may not use it. */
  readonly openFile: (path: string) => Promise<FileHandle>
  /** Opens a file for reading; throws if a run may not upload it. */
  readonly openUpload: (path: string, runId: string) => Promise<FileHandle>
  /** Sends to web hooks that documents are allowed to call. */
  readonly post: Post
  /** Removes the secrets of this process from text. */
  readonly redact: Redact
}

/** As in `Claims`, but an outage of the database delays these calls until the signal aborts. */
export interface StepClaims {
  take(thing: string, holder: ClaimHolder, signal: AbortSignal): Promise<Claimed>
  release(thing: string, holder: ClaimHolder, fence: string, signal: AbortSignal): Promise<void>
}

/** Runs that another run starts. */
export interface ChildRuns {
  /**
   * Starts the pipeline of a document as a separate run and returns its id. The same attempt of the same step always
   * gets the same run. If the parent repeats an earlier run, and the document and the inputs are the same, the new run
   * keeps the steps that succeeded in the child of the earlier run. Throws AudienceErrors for an invalid document, for
   * invalid inputs, and if runs nest too deeply.
   */
  submit(request: {
    parent: string
    stepKey: string
    attempt: number
    file: string
    inputs: JsonObject
  }): Promise<string>
  /**
   * Waits until the run ends. Resumes the run if no process owns it. Cancels the run if `signal` aborts because the
   * parent was cancelled. If it aborts because the step timed out, rejects and lets the run continue.
   */
  end(
    runId: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: FinalStatus; readonly outputs: JsonObject; readonly error?: ErrorReport }>
  /** Cancels the unfinished runs that a run has started, and waits until they have ended. */
  cancelAll(parent: string): Promise<void>
}

/** What `plan` needs for reading. */
export interface StepPlanDeps
  extends Pick<StepServices, 'api' | 'profile' | 'clock' | 'openFile' | 'lists' | 'membership'> {
  stepMemory: Pick<StepMemory, 'get'>
  made: ReadableMadeThings
  signal: AbortSignal
}

/** The values that a schema accepts; any object if the schema is known only at run time. */
type ObjectOf<Schema extends ObjectSchema> = string extends keyof Schema['properties'] ? JsonObject : Static<Schema>

/**
 * A step type from its definition. The types of its input and output are inferred from the schemas, because the loader
 * and the engine check every input before `plan` and `run` see it.
 */
export function defineStep<const Input extends ObjectSchema, const Output extends ObjectSchema>(
  definition: { input: Input; output: Output } & StepDefinition<ObjectOf<Input>, JsonObject & ObjectOf<Output>>,
): RunnableStepType
export function defineStep(definition: StepDefinition<JsonObject, JsonObject>): RunnableStepType {
  const { name, input, rules, check, startsJob = false } = definition
  return {
    ...definition,
    startsJob,
    compiled: withoutUndefined({ ...input, allOf: rules }),
    check: (value) => [
      ...withoutServiceLimits(violationsOf(validatorOf(name), value, rules, input), input),
      ...(check?.(value) ?? []),
    ],
  }
}

/** Looked up when needed, because the generator reads the step types before it compiles their validators. */
function validatorOf(name: string) {
  const validator = validators[name as keyof typeof validators]
  if (!validator) throw new Error(`${name} has no compiled validator; run npm run generate`)
  return validator
}
