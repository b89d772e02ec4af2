import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import type { InputDeclaration } from '../core/pipeline.ts'
import type { Names } from '../expressions/check.ts'
import { DYN, type Type, typeOfSchema } from '../expressions/types.ts'
import { inputSchema } from '../runs/input-schema.ts'
import type { StepDraft } from './read-steps.ts'
import type { StepGraph } from './step-graph.ts'

/** The names that the expressions of one document can use, as types: from its declarations and its step types. */
export interface DocumentNames {
  /** The names for a step, or for a place of the whole document if no step is given. */
  in(place: {
    readonly step?: StepDraft
    readonly inExpect?: boolean
    readonly item?: Type
    /**
     * The value is written to the state or to events. Environment variables may not go there, because they may be
     * secrets.
     */
    readonly recorded?: boolean
  }): Names
  /** For a trigger's inputs. */
  readonly forTriggers: Names
  /** For places that are evaluated before the run starts. */
  readonly beforeRun: Names
}

/** The names for variables: what is known when a run begins, and may be recorded. */
export function namesForVariables(inputs: Readonly<Record<string, InputDeclaration>>): Names {
  return { inputs: record('input', inputTypes(inputs)), trigger: { kind: 'map' }, run: runType(undefined) }
}

export function documentNames(
  {
    inputs,
    env,
    variables,
  }: {
    readonly inputs: Readonly<Record<string, InputDeclaration>>
    readonly env: readonly string[]
    readonly variables: Type | undefined
  },
  drafts: readonly StepDraft[],
  graph: StepGraph,
): DocumentNames {
  const inputNames = record('input', inputTypes(inputs))
  const envNames = envType(env)
  const outputs = new Map<string, Type>()
  for (const draft of drafts) if (!outputs.has(draft.step.id)) outputs.set(draft.step.id, outputsType(draft))
  const steps = new Map([...outputs].map(([id, type]) => [id, stepType(id, type)]))
  const last = lastSteps(outputs)
  const allIds = new Set(drafts.map(({ step }) => step.id))
  const main = new Set(drafts.filter(({ section }) => section === 'steps').map(({ step }) => step.id))
  const trigger: Type = { kind: 'map' }
  return {
    in({ step: draft, inExpect, item, recorded }) {
      const known = draft ? (graph.allNeeds.get(draft.step.id) ?? new Set<string>()) : allIds
      const own = draft && outputs.get(draft.step.id)
      return {
        inputs: inputNames,
        ...(variables && { variables }),
        steps: stepsType({ known, main, all: steps }, draft),
        trigger,
        run: runType(draft),
        ...(!recorded && { env: envNames }),
        last: record('part of the last run', { steps: last, ...(own && { outputs: own }) }),
        ...(inExpect && draft && { outputs: singleOutputs(draft) }),
        ...(item && draft?.step.forEach && { [draft.step.forEach.as]: item }),
      }
    },
    forTriggers: { trigger },
    beforeRun: { inputs: inputNames, trigger },
  }
}

function inputTypes(inputs: Readonly<Record<string, InputDeclaration>>): Record<string, Type> {
  const typed = Object.entries(inputs).map(([name, input]) => [
    name,
    typeOfSchema(inputSchema(input), `field of ${name}`),
  ])
  return Object.fromEntries(typed)
}

function outputsType(draft: StepDraft): Type {
  const single = singleOutputs(draft)
  return draft.step.forEach ? { kind: 'list', items: single } : single
}

/** The outputs of one execution of a step, also for a step with a forEach. */
function singleOutputs({ step, type }: StepDraft): Type {
  return type ? typeOfSchema(type.output, `output of ${step.id} (${step.uses})`) : DYN
}

interface KnownSteps {
  /** The steps that are done before this place. */
  readonly known: ReadonlySet<string>
  /** The steps of `steps`, without onFailure and finally. */
  readonly main: ReadonlySet<string>
  readonly all: ReadonlyMap<string, Type>
}

function stepsType({ known, main, all }: KnownSteps, draft: StepDraft | undefined): Type {
  const fields: Record<string, Type> = {}
  for (const id of known) fields[id] = all.get(id) ?? DYN
  return {
    kind: 'map',
    record: {
      noun: 'step',
      fields,
      closed: true,
      explainMissing: (name) => {
        if (name === draft?.step.id) {
          const hint = 'in expect, its own outputs are `outputs`'
          return { code: 'step-not-needed', message: `step ${name} cannot refer to itself here`, hint }
        }
        const sameOrder = draft?.section === 'steps' && main.has(name)
        if (all.has(name) && draft && !sameOrder) {
          return { code: 'step-not-needed', message: `step ${name} is not done before step ${draft.step.id}` }
        }
        if (all.has(name) && draft) {
          const message = `step ${draft.step.id} does not need step ${name}, so ${name} may not be done before it`
          return { code: 'step-not-needed', message, hint: `add ${name} to the needs of ${draft.step.id}` }
        }
        const hint = didYouMean(name, [...known])
        return { code: 'unknown-step', message: `there is no step ${name}`, ...(hint && { hint }) }
      },
    },
  }
}

function stepType(id: string, outputs: Type): Type {
  return record(`field of step ${id}`, { outputs, status: STEP_STATUS })
}

const STEP_STATUS: Type = { kind: 'string', values: ['succeeded', 'failed', 'skipped', 'cancelled'] }

function lastSteps(outputs: ReadonlyMap<string, Type>): Type {
  const fields: Record<string, Type> = {}
  for (const [id, type] of outputs) fields[id] = record(`field of step ${id}`, { outputs: type })
  return {
    kind: 'map',
    record: {
      noun: 'step',
      fields,
      explainMissing: (name) => {
        const hint = didYouMean(name, [...outputs.keys()])
        return { code: 'unknown-step', message: `there is no step ${name}`, ...(hint && { hint }) }
      },
    },
  }
}

function runType(draft: StepDraft | undefined): Type {
  const always: Record<string, Type> = {
    id: { kind: 'string' },
    pipeline: { kind: 'string' },
    startedAt: { kind: 'timestamp' },
  }
  const afterwards = draft !== undefined && draft.section !== 'steps'
  const failed: Record<string, Type> = { failedStep: { kind: 'string' }, error: { kind: 'string' } }
  return {
    kind: 'map',
    record: {
      noun: 'field of run',
      fields: afterwards ? { ...always, ...failed } : always,
      explainMissing: (name) =>
        Object.hasOwn(failed, name)
          ? { code: 'unknown-field', message: `run.${name} is known only in onFailure and finally` }
          : undefined,
    },
  }
}

function envType(env: readonly string[]): Type {
  const fields = Object.fromEntries(env.map((name) => [name, { kind: 'string' } as const]))
  return {
    kind: 'map',
    record: {
      noun: 'declared environment variable',
      fields,
      explainMissing: (name) => {
        const hint = closestHint(name, env) ?? `add it at the top: env: [${[...env, name].join(', ')}]`
        return { code: 'undeclared-env', message: `${name} is not declared under env`, hint }
      },
    },
  }
}

function record(noun: string, fields: Readonly<Record<string, Type>>): Type {
  return { kind: 'map', record: { noun, fields } }
}
