import { dirname, resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { DAY_MS } from '../core/duration.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { stepsOf } from '../core/pipeline.ts'
import { entriesIn, literalOf } from '../core/template.ts'
import { violationsOf } from '../core/validation.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, scalarsIn, textOf } from '../document/document-node.ts'
import { toPlain, toValue } from '../document/plain-value.ts'
import { validators } from '../generated/validators.ts'
import { checkInputs } from '../pipeline/check-inputs.ts'
import { durationAt } from '../pipeline/read-value.ts'
import { FAULT_RULES, type FaultSpec } from '../service/control/fault-rule.ts'
import { readExpectation } from './read-expectation.ts'
import { readChanges, readFileSpecs } from './read-file-specs.ts'
import { stepName } from './step-name.ts'
import { stepsIn } from './steps-below.ts'
import type { TestAct, TestEvent } from './test-document.ts'
import { keysAmong, numberIn, onlyKey, type Reading } from './test-reading.ts'
import { MAX_NIGHTS } from './test-schema.ts'

const ACTS = [
  'run',
  'night',
  'nights',
  'slot',
  'wait',
  'drop',
  'approve',
  'reject',
  'partner',
  'retry',
  'cancel',
] as const

/** One event of a test. */
export function readTestEvent(node: DocumentNode, reading: Reading): TestEvent {
  const { reporter } = reading
  const act = readAct(node, reading)
  const kill = childOf(node, 'kill')
  const killKey = kill && onlyKey(kill, ['before', 'after'], reporter)
  if (kill && act.kind === 'nothing') {
    const hint = 'write it in an event that sends the request, such as run or night'
    reporter.wrongValue('nothing happens in this event that a kill could interrupt', kill, hint)
  }
  const expect = node.kind === 'map' ? node.entries.get('expect') : undefined
  if (act.kind !== 'run') checkPlannable(childOf(expect?.value, 'plan'), reading)
  return {
    at: reporter.positionOf(node),
    act,
    change: readChanges(childOf(node, 'change'), reading),
    faults: itemsOf(childOf(node, 'faults')).map((fault) => readFault(fault, reading)),
    // The schema has checked the operation.
    kill: killKey && ({ when: killKey.name, operation: textOf(killKey.entry.value) } as TestEvent['kill']),
    expect: readExpectation(expect?.value, expect?.key ?? node, reading),
  }
}

/** Reports a plan without inputs for a pipeline that needs some. The inputs of `run` are checked elsewhere. */
function checkPlannable(node: DocumentNode | undefined, { pipeline, reporter }: Reading): void {
  for (const [name, input] of node && pipeline ? Object.entries(pipeline.inputs) : []) {
    if (!node || input.default !== undefined) continue
    const message = `the plan lacks the input ${name}, which has no default`
    const hint = 'expect it in an event with run: { inputs: { … } }'
    reporter.error({ code: 'missing-input', message, hint }, node)
  }
}

function readFault(node: DocumentNode, { reporter }: Reading): FaultSpec {
  const fault = toPlain(node)
  for (const { keyword, message } of violationsOf(validators['control.faults.add'], fault, FAULT_RULES)) {
    if (keyword === 'rule') reporter.error({ code: 'broken-rule', message }, node)
  }
  // The schema has checked the fault.
  return fault as FaultSpec
}

function readAct(node: DocumentNode, reading: Reading): TestAct {
  const { reporter } = reading
  const [first, second] = keysAmong(node, ACTS)
  if (first && second) {
    const message = `an event is one thing: ${first.name} or ${second.name}`
    reporter.wrongValue(message, second.entry.key, 'begin another event with a dash')
  }
  if (!first) {
    const isEmpty = keysAmong(node, ['change', 'faults', 'expect']).length === 0
    if (node.kind === 'map' && isEmpty && !reporter.hasErrorIn(node)) {
      const hint = `begin with one of ${ACTS.join(', ')}`
      reporter.error({ code: 'missing-key', message: 'nothing happens in this event', hint }, node)
    }
    return { kind: 'nothing' }
  }
  const { value } = first.entry
  switch (first.name) {
    case 'run':
      return { kind: 'run', inputs: readInputs(value, reading) }
    case 'night':
      return { kind: 'nights', count: 1 }
    case 'nights':
      return { kind: 'nights', count: numberIn(value) ?? 1 }
    case 'slot':
      return { kind: 'slot', trigger: readTrigger(value, reading) }
    case 'wait':
      return { kind: 'wait', ms: readWait(node, value, reading) }
    case 'drop':
      checkWatched(value, reading)
      return { kind: 'drop', files: readFileSpecs(value, reading) }
    case 'approve':
      return { kind: 'decide', ...readDecision(value, reading), decision: 'approved' }
    case 'reject':
      return { kind: 'decide', ...readDecision(value, reading), decision: 'rejected' }
    case 'partner': {
      const act = onlyKey(value, ['approve', 'reject', 'fail'], reporter)
      return {
        kind: 'partner',
        does: act?.name ?? 'approve',
        step: stepName(act?.entry.value, reading, { below: true }),
      }
    }
    case 'retry': {
      requireTrue(value, 'retry', reading)
      const from = childOf(value, 'from')
      return { kind: 'retry', from: from && stepName(from, reading, { inside: true }) }
    }
    case 'cancel':
      return { kind: 'cancel' }
  }
}

function readDecision(
  node: DocumentNode,
  reading: Reading,
): { readonly step: string; readonly by: string | undefined } {
  const step = stepName(node.kind === 'map' ? childOf(node, 'step') : node, reading, { below: true })
  const name = childOf(node, 'by')
  const by = textOf(name)
  const approvers = approversOf(step, reading)
  if (name && by !== undefined && approvers?.includes(by) === false) {
    reading.reporter.wrongValue(`${by} is not among the approvers of ${step}`, name, didYouMean(by, approvers))
  }
  return { step, by }
}

/** The approvers that the document names; undefined if there are none, or if only the run knows them. */
function approversOf(key: string, { pipeline }: Reading): readonly string[] | undefined {
  // If the step belongs to a run that another step starts, its approvers are compared when somebody decides.
  if (stepsIn(key).length > 1) return undefined
  const id = /(\w+)$/.exec(key.replace(/\[.*\]$/, ''))?.[1]
  const step = pipeline && stepsOf(pipeline).find((one) => one.id === id)
  const named = step && literalOf(step.with, 'approvers')
  return Array.isArray(named) ? named.map(String) : undefined
}

function readInputs(node: DocumentNode, reading: Reading): JsonObject {
  const { pipeline, checker, reporter } = reading
  const inputs = childOf(node, 'inputs')
  const values = inputs && toValue(inputs)
  const hint = 'write the value itself: only check may contain expressions'
  for (const scalar of scalarsIn(inputs))
    if (textOf(scalar)?.includes('${{'))
      reporter.onlyError({ code: 'expression-not-here', message: 'expressions are not evaluated here', hint }, scalar)
  const given = isJsonObject(values) ? values : {}
  if (pipeline && node.kind === 'map') {
    // A key that is not under inputs has been reported.
    const isComplete = !reporter.hasErrorIn(node)
    checkInputs(
      { giver: 'run', values: entriesIn({ kind: 'value', value: given }) ?? {}, node: inputs, place: node, isComplete },
      pipeline.inputs,
      {},
      { checker, reporter },
    )
  }
  return given
}

function readWait(event: DocumentNode, node: DocumentNode, { reporter }: Reading): number {
  const ms = durationAt(event, 'wait') ?? 0
  const isTooLong = textOf(node) !== undefined && ms > MAX_NIGHTS * DAY_MS
  if (isTooLong) reporter.wrongValue(`wait must be at most ${MAX_NIGHTS}d`, node)
  return ms
}

function requireTrue(node: DocumentNode, key: string, { reporter }: Reading): void {
  if (node.kind !== 'scalar' || node.value !== false) return
  reporter.wrongValue(`${key} must be true`, node, `leave ${key} out`)
}

/** The trigger whose slot comes next; undefined for any trigger. */
function readTrigger(node: DocumentNode, reading: Reading): string | undefined {
  const { pipeline, reporter } = reading
  requireTrue(node, 'slot', reading)
  const id = textOf(node)
  if (!pipeline) return id
  const schedules = pipeline.triggers.filter(({ kind }) => kind === 'schedule').map((trigger) => trigger.id)
  // If this pipeline runs after others, the schedules belong to those pipelines.
  if (pipeline.triggers.some(({ kind }) => kind === 'after')) return id
  if (schedules.length === 0) {
    const message = `the pipeline ${pipeline.name} has no schedule`
    reporter.error({ code: 'unknown-trigger', message, hint: 'start it with run or drop' }, node)
  } else if (id !== undefined && id !== '' && !schedules.includes(id)) {
    const isWatch = pipeline.triggers.some((trigger) => trigger.id === id)
    const message = isWatch ? `the trigger ${id} watches files` : `the pipeline ${pipeline.name} has no trigger ${id}`
    const hint = isWatch ? 'drop a file into its folder' : didYouMean(id, schedules)
    reporter.error({ code: 'unknown-trigger', message, hint }, node)
  }
  return id
}

/** Reports files that are dropped into a folder that no trigger watches. */
function checkWatched(node: DocumentNode, { pipeline, pipelineFolder, reporter }: Reading): void {
  if (!pipeline) return
  const watches = pipeline.triggers.filter((trigger) => trigger.kind === 'watch')
  for (const [name, { key }] of entriesOf(node)) {
    const folder = dirname(resolve(pipelineFolder, name))
    if (watches.some(({ path }) => resolve(pipelineFolder, path) === folder)) continue
    const [watch] = watches
    const hint = watch
      ? `watched here: ${watches.map(({ path }) => path).join(', ')}; write files for other folders under change`
      : 'write files for other triggers under change'
    const message = watch
      ? `no trigger watches the folder of ${name}`
      : `the pipeline ${pipeline.name} watches no folder`
    reporter.error({ code: 'unknown-trigger', message, hint }, key)
  }
}
