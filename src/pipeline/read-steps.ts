import {
  type AwaitRule,
  type Block,
  type Expectation,
  type ForEach,
  type Guard,
  isBlock,
  type RetryPolicy,
  type Step,
} from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import type { Template } from '../core/template.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, type Entry, itemsOf, type MapNode, textOf } from '../document/document-node.ts'
import { durationAt, isTrue, optionOf, readObject } from './read-value.ts'
import { MAX_STEPS } from './schema-parts.ts'
import {
  awaitRule,
  forEach as forEachSchema,
  guard as guardSchema,
  learn as learnSchema,
  retry,
} from './step-schema.ts'
import type { TemplateReader } from './template-reader.ts'

export type StepSection = 'steps' | 'onFailure' | 'finally'

interface Draft {
  readonly section: StepSection
  readonly node: MapNode
  /** Undefined if the document gives no `needs`. */
  readonly needsNode: DocumentNode | undefined
}

/** A step as written in the document, with what its checks need. */
export interface StepDraft extends Draft {
  readonly step: Step
  /** Undefined if the document names a type that does not exist. */
  readonly type: StepType | undefined
  readonly withEntry: Entry | undefined
  /** The block that the step belongs to. */
  readonly block?: BlockDraft
}

/** A forEach over several steps as written. Its steps are drafts of their own. */
export interface BlockDraft extends Draft {
  readonly step: Block
  readonly block?: undefined
}

export type AnyDraft = StepDraft | BlockDraft

export function isStepDraft(draft: AnyDraft): draft is StepDraft {
  return !isBlock(draft.step)
}

export interface StepDefaults {
  readonly await: AwaitRule | false
  readonly retry: RetryPolicy | undefined
}

/** The `defaults` of a document. */
export function readDefaults(root: DocumentNode): StepDefaults {
  const defaults = childOf(root, 'defaults')
  return {
    await: readAwait(childOf(defaults, 'await'), DEFAULT_AWAIT),
    retry: readRetry(childOf(defaults, 'retry'), undefined),
  }
}

interface ReadContext {
  readonly stepTypes: ReadonlyMap<string, StepType>
  readonly defaults: StepDefaults
  readonly templates: TemplateReader
  readonly reporter: DiagnosticCollector
}

/**
 * The steps of one section; the steps of a block follow the block. `needs` contains only what the document says
 * (step-graph.ts adds the rest).
 */
export function readSteps(root: DocumentNode, section: StepSection, context: ReadContext): AnyDraft[] {
  const drafts = itemsOf(childOf(root, section)).flatMap((node) => {
    const id = textOf(childOf(node, 'id'))
    if (node.kind !== 'map' || id === undefined) return []
    return node.entries.has('steps') ? readBlock(node, section, id, context) : [readDraft(node, section, id, context)]
  })
  const tooMuch = drafts[MAX_STEPS]
  if (tooMuch && itemsOf(childOf(root, section)).length <= MAX_STEPS) {
    const message = `${section} has ${drafts.length} steps, including those inside forEach; the limit is ${MAX_STEPS}`
    context.reporter.wrongValue(message, childOf(tooMuch.node, 'id') ?? tooMuch.node)
  }
  return drafts.slice(0, MAX_STEPS)
}

function readBlock(node: MapNode, section: StepSection, id: string, context: ReadContext): AnyDraft[] {
  const forEach = readForEach(childOf(node, 'forEach'), context.templates) ?? NO_ITEMS
  const step: Block = { ...readBase(node, id, context), forEach, steps: [] }
  const block: BlockDraft = { section, node, needsNode: childOf(node, 'needs'), step }
  const steps = itemsOf(childOf(node, 'steps')).flatMap((inner) => {
    const innerId = textOf(childOf(inner, 'id'))
    return inner.kind === 'map' && innerId !== undefined ? [readDraft(inner, section, innerId, context)] : []
  })
  return [block, ...steps.map((draft) => ({ ...draft, block }))]
}

/** Replaces the forEach of a block if it is not valid. The error has been reported. */
const NO_ITEMS: ForEach = { items: { kind: 'value', value: [] }, as: 'item', maxParallel: 1 }

function readDraft(node: MapNode, section: StepSection, id: string, context: ReadContext): StepDraft {
  const uses = textOf(childOf(node, 'uses')) ?? ''
  const type = context.stepTypes.get(uses)
  const step = readStep(node, { id, uses, type }, context)
  const [needsNode, withEntry] = [childOf(node, 'needs'), node.entries.get('with')]
  return { step, section, node, type, needsNode, withEntry }
}

function readBase(node: MapNode, id: string, { templates, reporter }: ReadContext): Omit<Block, 'forEach' | 'steps'> {
  return {
    id,
    needs: itemsOf(childOf(node, 'needs')).flatMap((need) => textOf(need) ?? []),
    continueOnError: isTrue(childOf(node, 'continueOnError')),
    at: reporter.positionOf(childOf(node, 'id') ?? node),
    name: textOf(childOf(node, 'name')),
    if: templates.readExpression(childOf(node, 'if'), 'if'),
  }
}

function readStep(
  node: MapNode,
  { id, uses, type }: { id: string; uses: string; type: StepType | undefined },
  context: ReadContext,
): Step {
  const { defaults, templates } = context
  const waits = type === undefined || type.startsJob
  return {
    ...readBase(node, id, context),
    uses,
    with: { kind: 'map', entries: templates.readEntries(childOf(node, 'with')) },
    await: waits && readAwait(childOf(node, 'await'), defaults.await),
    expect: readExpectations(childOf(node, 'expect'), templates),
    forEach: readForEach(childOf(node, 'forEach'), templates),
    retry: readRetry(childOf(node, 'retry'), defaults.retry),
    timeoutMs: durationAt(node, 'timeout'),
    guard: readGuard(childOf(node, 'guard'), templates),
  }
}

function readForEach(node: DocumentNode | undefined, templates: TemplateReader): ForEach | undefined {
  const [items, key] = [childOf(node, 'items'), childOf(node, 'key')]
  if (!items) return undefined
  const { as, maxParallel } = readObject(forEachSchema, node)
  return {
    items: templates.read(items),
    as,
    maxParallel,
    key: key && templates.read(key),
    maxFailures: readMaxFailures(childOf(node, 'maxFailures')),
  }
}

function readMaxFailures(node: DocumentNode | undefined): ForEach['maxFailures'] {
  if (node?.kind !== 'scalar') return undefined
  const { value } = node
  if (typeof value === 'string') return { percent: Number(value.replace('%', '')) }
  return typeof value === 'bigint' ? { count: Number(value) } : undefined
}

function readExpectations(node: DocumentNode | undefined, templates: TemplateReader): Expectation[] {
  return itemsOf(node).flatMap((item) => {
    const check = templates.readExpression(childOf(item, 'check'), 'check')
    const message = childOf(item, 'message')
    if (!check) return []
    return [
      { check, message: message ? templates.read(message) : { kind: 'value', value: `expected ${check.source}` } },
    ]
  })
}

const { onBreach, notBy } = guardSchema.properties

/** The `guard` of a step; undefined if there is no guard, or no expression in its `of`. */
function readGuard(node: DocumentNode | undefined, templates: TemplateReader): Guard | undefined {
  const of = templates.readExpression(childOf(node, 'of'), 'of')
  const min = readLimit(node, 'min', templates)
  const max = readLimit(node, 'max', templates)
  if (!of) return undefined
  const learn = childOf(node, 'learn')
  return {
    of,
    learn: learn?.kind === 'scalar' && learn.value === false ? false : readObject(learnSchema, learn),
    min,
    max,
    onBreach: optionOf(onBreach.enum, childOf(node, 'onBreach')) ?? onBreach.default,
    notBy: optionOf(notBy.enum, childOf(node, 'notBy')),
  }
}

function readLimit(
  node: DocumentNode | undefined,
  name: 'min' | 'max',
  templates: TemplateReader,
): Template | undefined {
  const limit = childOf(node, name)
  if (limit?.kind !== 'scalar' || typeof limit.value !== 'string') return limit && templates.read(limit)
  const expression = templates.readExpression(limit, name)
  return expression && { kind: 'expression', expression }
}

/** The default `await` of a document. */
const DEFAULT_AWAIT: AwaitRule = readObject(awaitRule, undefined)

/** A document's `await`, with missing fields taken from `base`; `base` itself if there is none. */
function readAwait(node: DocumentNode | undefined, base: AwaitRule | false): AwaitRule | false {
  if (!node) return base
  const rule = base || DEFAULT_AWAIT
  if (node.kind === 'scalar') return node.value !== false && rule
  return readObject(awaitRule, node, rule)
}

/** A document's `retry`, with missing fields taken from `base`. */
function readRetry(node: DocumentNode | undefined, base: RetryPolicy | undefined): RetryPolicy | undefined {
  return node ? readObject(retry, node, base) : base
}
