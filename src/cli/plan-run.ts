import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inputsOfCommandLine } from '../acts/inputs-of.ts'
import { type Planner, withPlanner } from '../app/with-planner.ts'
import { documentSettings } from '../config/load-settings.ts'
import { secretsOf } from '../config/secrets-of.ts'
import type { Settings } from '../config/settings.ts'
import { type Untrusted, untrustedSettings } from '../config/untrusted-settings.ts'
import { AudienceError, EXIT_CODES, FOUND_EXIT_CODE, usageError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { Policy } from '../core/policy.ts'
import { jsonLine, printableData } from '../core/printable.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { visibleEnv } from '../core/visible-env.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { readNewPipeline } from '../daemon/documents/read-pipeline.ts'
import { planPipeline } from '../pipeline/plan-pipeline.ts'
import { hasChanges, planSummary, wouldFail } from '../pipeline/plan-summary.ts'
import { planVariables } from '../pipeline/plan-variables.ts'
import { baseSince } from '../platform/git-changes.ts'
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
import { cell, planMarkdown } from './views/plan-markdown.ts'
import { type PlanView, renderPlan } from './views/render-plan.ts'
import { styleFor } from './views/style.ts'
import { depsOf } from './with-app.ts'

export interface PlanFlags extends AppFlags {
  readonly input: readonly string[]
  readonly format: 'text' | 'json' | 'markdown'
  readonly exitCode?: true
  /** Plan the pipelines that changed since this git ref, instead of a named one. */
  readonly changedSince?: string
  /** Other people wrote the documents: see `untrustedSettings`. */
  readonly untrusted?: true
  readonly base?: string
}

/** Shows what a run would do now, and what the last run did; returns 1 if a step would fail. */
export async function planRun(file: string | undefined, flags: PlanFlags, terminal: Terminal): Promise<number> {
  if (flags.untrusted) return planOfOthers(file, flags, terminal)
  if (flags.base !== undefined)
    throw usageError('base-without-untrusted', '--base is only for --untrusted', 'give both, or neither')
  const {
    policy,
    profiles: [values],
  } = documentSettings(terminal, flags)
  const settings = () => settingsOf(terminal, { profile: flags.profile })
  return planWith(file, flags, { policy, values, settings }, terminal)
}

/** A plan of documents that other people wrote, in the working tree of their branch. */
async function planOfOthers(file: string | undefined, flags: PlanFlags, terminal: Terminal): Promise<number> {
  const { cwd, env, secrets } = terminal
  const empty = await mkdtemp(join(tmpdir(), 'audience-plan-'))
  try {
    const given = flags.profile === undefined ? {} : { profile: flags.profile }
    const { settings, untrusted } = await untrustedSettings(flags.base, { env, cwd, flags: given, empty })
    for (const secret of secretsOf(settings, env)) secrets.add(secret)
    const { policy, values } = settings
    return await planWith(file, flags, { policy, values, settings: () => settings, untrusted }, terminal)
  } finally {
    await rm(empty, { recursive: true, force: true })
  }
}

interface PlanSettings {
  readonly policy: Policy
  readonly values: ProfileValues
  readonly settings: () => Settings
  readonly untrusted?: Untrusted
}

async function planWith(
  file: string | undefined,
  flags: PlanFlags,
  given: PlanSettings,
  terminal: Terminal,
): Promise<number> {
  const { policy, values, untrusted } = given
  const files = await documentsOf(file, flags, given, terminal)
  const format = flags.json ? 'json' : flags.format
  if (untrusted && format !== 'json') terminal.out.write(`${untrustedLines(untrusted, format).join('\n')}\n`)
  if (files.length === 0) {
    if (format !== 'json') terminal.out.write(`no pipeline has changed since ${flags.changedSince}\n`)
    return 0
  }
  // A link made by other people may lead to any file, and an error would show lines of that file.
  if (untrusted) for (const path of files) fileCheck(policy)(resolve(terminal.cwd, path))
  const pipelines = files.map((path) => readNewPipeline({ ...readDocument(path), file: path }, { policy, values }))
  const known = new Set(pipelines.flatMap(({ inputs }) => Object.keys(inputs)))
  return withPlanner(await depsOf(given.settings(), flags, terminal), async (planner) => {
    let fails = false
    let changes = false
    for (const pipeline of pipelines) {
      // With several pipelines, each takes the inputs that it declares.
      const isOurs = (text: string) => {
        const name = text.slice(0, text.indexOf('='))
        return file !== undefined || !known.has(name) || Object.hasOwn(pipeline.inputs, name)
      }
      const inputs = flags.input.filter(isOurs)
      const shown = await planOne(pipeline, given, { inputs, planner, terminal, isOneOfMany: file === undefined })
      fails ||= wouldFail(shown.plan?.steps ?? [])
      changes ||= shown.plan === undefined || shown.plan.changes
      terminal.out.write(`${rendered(shown, format, terminal).join('\n')}\n`)
    }
    if (fails) return EXIT_CODES.failed
    return flags.exitCode && changes ? FOUND_EXIT_CODE : 0
  })
}

async function documentsOf(
  file: string | undefined,
  { changedSince }: PlanFlags,
  { policy, values, settings }: PlanSettings,
  { cwd, env }: Terminal,
): Promise<readonly string[]> {
  if (file !== undefined && changedSince === undefined) return [file]
  if (file === undefined && changedSince !== undefined) {
    const base = await baseSince(changedSince, { folder: cwd, env })
    return changedDocuments(findDocuments([settings().pipelines], cwd), base, { policy, values })
  }
  throw usageError(
    'nothing-to-plan',
    file === undefined ? 'no pipeline to plan is named' : 'a file and --changed-since cannot be given together',
    'name one document, or give --changed-since REF',
  )
}

interface Shown {
  readonly pipeline: Pipeline
  /** Undefined if the pipeline cannot be planned because an input without a default is missing. */
  readonly plan?: PlanView
  readonly why?: string
  readonly last?: RecordedRun | undefined
}

async function planOne(
  pipeline: Pipeline,
  { policy, values: { name: profile }, untrusted }: PlanSettings,
  asked: {
    inputs: readonly string[]
    planner: Planner
    terminal: Terminal
    isOneOfMany: boolean
  },
): Promise<Shown> {
  const { planner, isOneOfMany } = asked
  const { env, cwd, secrets } = asked.terminal
  planner.protect(pipeline)
  const options = { policy, cwd, keepMissing: true } as const
  const inputs = inputsOf(() => inputsOfCommandLine(pipeline, asked.inputs, options), isOneOfMany)
  if (typeof inputs === 'string') return { pipeline, why: inputs }
  const last = await planner.lastSuccess(pipeline.name)
  const steps = await planPipeline({
    pipeline,
    inputs,
    cwd,
    stepTypes,
    profile,
    // A secret is removed only where it appears as a whole, but an expression could reveal it piece by piece.
    env: untrusted ? undefined : visibleEnv(pipeline, allowedEnv(env, policy)),
    last: last?.outputs,
    forecast: planner.forecast,
    guards: await planGuards(pipeline, planner.runs),
  })
  const { values, unknown } = planVariables({ pipeline, inputs, profile })
  const plan = {
    pipeline: pipeline.name,
    ...(Object.keys(pipeline.variables).length > 0 && { variables: values, unknownVariables: unknown }),
    steps,
    summary: planSummary(steps),
    changes: hasChanges(steps),
    untrusted,
    lastRun: last && lastRunOf(last.row),
  }
  // Secrets are removed here, because Markdown or a narrow terminal would change their form.
  return { pipeline, plan: secrets.redactData(plan), last }
}

/** The lines before the plans: they say what a plan of other people's documents uses, and what it does not use. */
function untrustedLines({ base, differs, left }: Untrusted, format: PlanFlags['format']): string[] {
  const facts = printableData([
    base === undefined ? 'no audience.yaml is trusted' : `audience.yaml comes from ${base}`,
    ...(differs.length > 0
      ? [`the audience.yaml of this branch is not used; it differs in ${differs.join(', ')}`]
      : []),
    ...left.map((one) => `not used: ${one}`),
  ])
  return format === 'markdown' ? [...facts.map((fact) => `> ${cell(fact)}  `), ''] : [...facts, '']
}

/**
 * Resolves inputs. If one of several pipelines lacks an input, for example because a trigger gives it, returns the
 * problem as text, so that the others are still planned.
 */
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
    if (format === 'json') return [jsonLine({ pipeline: name, why })]
    return format === 'markdown'
      ? [`### Plan of \`${name}\``, '', `Not planned: ${why}`, '']
      : [`${name} is not planned: ${why}`, '']
  }
  switch (format) {
    case 'json':
      return [jsonLine(plan)]
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
    submittedAt: isoTime(submittedAt),
    finishedAt: isoTime(finishedAt),
  }
}
