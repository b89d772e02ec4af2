import { type Planner, withPlanner } from '../app/with-planner.ts'
import { documentSettings } from '../config/load-settings.ts'
import { AudienceError, EXIT_CODES, FOUND_EXIT_CODE } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { Policy } from '../core/policy.ts'
import { printableJson } from '../core/printable.ts'
import { visibleEnv } from '../core/visible-env.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { readNewPipeline } from '../daemon/documents/read-pipeline.ts'
import { planPipeline } from '../pipeline/plan-pipeline.ts'
import { hasChanges, planSummary, wouldFail } from '../pipeline/plan-summary.ts'
import { planVariables } from '../pipeline/plan-variables.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { isFile } from '../platform/is-file.ts'
import { allowedEnv } from '../policy/allowed-env.ts'
import { fileCheck } from '../policy/enforce.ts'
import { planGuards } from '../runs/guards/plan-guard.ts'
import type { RecordedRun } from '../runs/recorded-run.ts'
import type { RunRow } from '../state/run-history.ts'
import { stepTypes } from '../steps/index.ts'
import { changedDocuments } from './changed-documents.ts'
import { readDocument } from './read-document.ts'
import { type AppFlags, settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'
import { planMarkdown } from './views/plan-markdown.ts'
import { type Plan, renderPlan } from './views/render-plan.ts'
import { styleFor } from './views/style.ts'
import { clientDeps } from './with-app.ts'

export interface PlanFlags extends AppFlags {
  readonly input: readonly string[]
  readonly format: 'text' | 'json' | 'markdown'
  readonly exitCode?: true
  /** Plan the pipelines that changed since this git ref, instead of one that is named. */
  readonly changedSince?: string
}

/** Shows what a run would do now, and what the last one did; returns 1 if a step would fail. */
export async function planRun(file: string | undefined, flags: PlanFlags, terminal: Terminal): Promise<number> {
  const { policy } = documentSettings(terminal)
  const files = await documentsOf(file, flags, policy, terminal)
  const format = flags.json ? 'json' : flags.format
  if (files.length === 0) {
    if (format !== 'json') terminal.out.write(`no pipeline has changed since ${flags.changedSince}\n`)
    return 0
  }
  const pipelines = files.map((path) => readNewPipeline({ ...readDocument(path), file: path }, { policy }))
  const known = new Set(pipelines.flatMap(({ inputs }) => Object.keys(inputs)))
  return withPlanner(await clientDeps(flags, terminal), async (planner) => {
    let fails = false
    let changes = false
    for (const pipeline of pipelines) {
      // Of several pipelines, each takes the inputs that it has.
      const isOurs = (text: string) => {
        const name = text.slice(0, text.indexOf('='))
        return file !== undefined || !known.has(name) || Object.hasOwn(pipeline.inputs, name)
      }
      const given = flags.input.filter(isOurs)
      const shown = await planOne(pipeline, { given, policy, planner, terminal, isOneOfMany: file === undefined })
      fails ||= wouldFail(shown.plan?.steps ?? [])
      changes ||= shown.plan === undefined || shown.plan.changes
      terminal.out.write(`${rendered(shown, format, terminal).join('\n')}\n`)
    }
    if (fails) return EXIT_CODES.failed
    return flags.exitCode && changes ? FOUND_EXIT_CODE : 0
  })
}

function documentsOf(
  file: string | undefined,
  { changedSince }: PlanFlags,
  policy: Policy,
  terminal: Terminal,
): readonly string[] | Promise<readonly string[]> {
  if (file !== undefined && changedSince === undefined) return [file]
  if (file === undefined && changedSince !== undefined) {
    return changedDocuments(changedSince, { pipelines: settingsOf(terminal).pipelines, policy }, terminal)
  }
  throw new AudienceError({
    code: 'nothing-to-plan',
    kind: 'usage',
    message:
      file === undefined ? 'nothing says which pipeline to plan' : 'a file and --changed-since do not go together',
    hint: 'name one document, or give --changed-since REF',
  })
}

interface Shown {
  readonly pipeline: Pipeline
  /** Undefined if an input without a default keeps the pipeline from being planned. */
  readonly plan?: Plan
  readonly why?: string
  readonly last?: RecordedRun | undefined
}

async function planOne(
  pipeline: Pipeline,
  {
    given,
    policy,
    planner,
    terminal: { env, cwd, secrets },
    isOneOfMany,
  }: {
    readonly given: readonly string[]
    readonly policy: Policy
    readonly planner: Planner
    readonly terminal: Terminal
    readonly isOneOfMany: boolean
  },
): Promise<Shown> {
  planner.protect(pipeline)
  const files = { exists: isFile, read: documentAt, checkFile: fileCheck(policy), keepMissing: true } as const
  const inputs = inputsOf(() => resolveInputs(pipeline, { given, cwd, ...files }), isOneOfMany)
  if (typeof inputs === 'string') return { pipeline, why: inputs }
  const last = await planner.lastSuccess(pipeline.name)
  const steps = await planPipeline({
    ...{ pipeline, inputs, cwd, stepTypes },
    env: visibleEnv(pipeline, allowedEnv(env, policy)),
    last: last?.outputs,
    forecast: planner.forecast,
    guards: await planGuards(pipeline, planner.runs),
  })
  const { values, unknown } = planVariables(pipeline, inputs)
  const plan = {
    pipeline: pipeline.name,
    ...(Object.keys(pipeline.variables).length > 0 && { variables: values, unknownVariables: unknown }),
    steps,
    summary: planSummary(steps),
    changes: hasChanges(steps),
    ...(last && { lastRun: lastRunOf(last.row) }),
  }
  // Before Markdown or a narrow terminal changes what a secret looks like.
  return { pipeline, plan: secrets.redactData(plan), last }
}

/** Of several pipelines, one whose inputs a trigger gives cannot be planned, and does not stop the others. */
function inputsOf<T>(resolve: () => T, isOneOfMany: boolean): T | string {
  try {
    return resolve()
  } catch (error) {
    if (isOneOfMany && error instanceof AudienceError && error.code === 'missing-input') return error.message
    throw error
  }
}

function rendered(
  { pipeline: { name }, plan, why, last }: Shown,
  format: PlanFlags['format'],
  { out }: Terminal,
): readonly string[] {
  if (!plan) {
    if (format === 'json') return [JSON.stringify({ pipeline: name, why })]
    return format === 'markdown'
      ? [`### Plan of \`${name}\``, '', `Not planned: ${why}`, '']
      : [`${name} is not planned: ${why}`, '']
  }
  switch (format) {
    case 'json':
      return [printableJson(stringifyJson(plan))]
    case 'markdown':
      return planMarkdown(plan)
    case 'text':
      return renderPlan(plan, last?.outputs, styleFor(out))
  }
}

function lastRunOf({ runId, status, submittedAt, finishedAt }: RunRow) {
  return {
    runId,
    status,
    submittedAt: new Date(submittedAt).toISOString(),
    ...(finishedAt !== undefined && { finishedAt: new Date(finishedAt).toISOString() }),
  }
}
