import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import { RUN_STATUSES } from '../core/format/statuses.ts'
import { isJsonObject, type Json, parseJson, stringifyJson } from '../core/json.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, type Span, textOf } from '../document/document-node.ts'
import { toValue } from '../document/plain-value.ts'
import { optionOf } from '../pipeline/read-value.ts'
import { RUN_ERROR_CODES } from './run-error-codes.ts'
import { stepName } from './step-name.ts'
import type { TestExpectation } from './test-document.ts'
import { numberIn, type Reading } from './test-reading.ts'

/** What an event expects; `at` is the position of the event. */
export function readExpectation(node: DocumentNode | undefined, at: Span, reading: Reading): TestExpectation {
  const held = childOf(node, 'held')
  return {
    at: reading.reporter.positionOf(at),
    status: optionOf(RUN_STATUSES, childOf(node, 'status')),
    runs: readCounts(childOf(node, 'runs')),
    held: held && stepName(held, reading, { below: true }),
    error: readError(childOf(node, 'error'), reading),
    outputs: readOutputs(childOf(node, 'outputs'), reading),
    writes: readCounts(childOf(node, 'writes')),
    notified: readNotified(childOf(node, 'notified'), reading),
    sent: readSent(childOf(node, 'sent')),
    live: readCounts(childOf(node, 'live')),
    plan: readCounts(childOf(node, 'plan')),
    check: readChecks(childOf(node, 'check'), reading),
  }
}

/** The schema has checked the names. */
function readCounts(node: DocumentNode | undefined): Readonly<Record<string, number>> | undefined {
  if (node?.kind !== 'map') return undefined
  return Object.fromEntries(entriesOf(node).map(([name, { value }]) => [name, numberIn(value) ?? 0]))
}

function readError(node: DocumentNode | undefined, reading: Reading): TestExpectation['error'] {
  if (!node || textOf(node) !== undefined) return node && { code: readCode(node, reading) }
  const step = childOf(node, 'step')
  return { code: readCode(childOf(node, 'code'), reading), step: step && stepName(step, reading, { inside: true }) }
}

function readCode(node: DocumentNode | undefined, { reporter }: Reading): string | undefined {
  const code = textOf(node)
  if (!node || code === undefined || RUN_ERROR_CODES.includes(code)) return code
  const hint = closestHint(code, RUN_ERROR_CODES) ?? 'docs/reference/test-files.md lists them'
  const problem = { code: 'wrong-value', message: `no run fails with the code ${code}`, hint }
  // Text that does not look like a code has been reported.
  if (!reporter.hasErrorIn(node)) reporter.error(problem, node)
  return code
}

function readOutputs(node: DocumentNode | undefined, { pipeline, reporter }: Reading): TestExpectation['outputs'] {
  if (node?.kind !== 'map') return undefined
  const known = pipeline && Object.keys(pipeline.outputs)
  for (const [name, { key }] of known ? entriesOf(node) : []) {
    if (known?.includes(name)) continue
    const hint = didYouMean(name, known ?? []) ?? 'declare it in the pipeline, under outputs'
    const message = `the pipeline ${pipeline?.name} has no output ${name}`
    reporter.error({ code: 'unknown-output', message, hint }, key)
  }
  const outputs = asRecorded(node)
  return isJsonObject(outputs) ? outputs : undefined
}

/** Reads integers as recorded JSON has them: as numbers, if that loses nothing. */
function asRecorded(node: DocumentNode): Json {
  return parseJson(stringifyJson(toValue(node)))
}

function readNotified(node: DocumentNode | undefined, { deps, reporter }: Reading): TestExpectation['notified'] {
  if (node?.kind !== 'map') return undefined
  const { channels } = deps
  for (const [name, { key }] of channels ? entriesOf(node) : []) {
    if (channels?.includes(name)) continue
    const hint = didYouMean(name, channels ?? []) ?? 'declare it in audience.yaml, under notify.channels'
    reporter.error({ code: 'unknown-channel', message: `audience.yaml has no channel ${name}`, hint }, key)
  }
  const kinds = (value: DocumentNode) => itemsOf(value).flatMap((item) => textOf(item) ?? [])
  return Object.fromEntries(entriesOf(node).map(([name, { value }]) => [name, kinds(value)]))
}

function readSent(node: DocumentNode | undefined): TestExpectation['sent'] {
  if (node?.kind !== 'list') return numberIn(node)
  return node.items.map((item) => {
    const [url, body] = [textOf(childOf(item, 'url')), childOf(item, 'body')]
    return { url, body: body && asRecorded(body) }
  })
}

function readChecks(node: DocumentNode | undefined, reading: Reading): TestExpectation['check'] {
  if (node?.kind !== 'list') return undefined
  const { templates, checker, names } = reading
  return node.items.flatMap((item) => {
    const expression = templates.readExpression(item, 'a check')
    checker.condition(expression, names, 'a check')
    return textOf(item) ?? []
  })
}
