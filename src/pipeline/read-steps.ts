import type { AwaitRule, Expectation, ForEach, Guard, RetryPolicy, Step, Template } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, type Entry, itemsOf, type MapNode, textOf } from '../document/document-node.ts'
import { forEach as forEachSchema, guard as guardSchema, learn as learnSchema } from './document-schema.ts'
import { DEFAULT_AWAIT, readAwait, readRetry } from './read-policies.ts'
import { durationAt, isTrue, oneOf, readObject } from './read-value.ts'
import { MAX_STEPS } from './schema-parts.ts'
import type { TemplateReader } from './template-reader.ts'

export type Section = 'steps' | 'onFailure' | 'finally'

/** A step as written in the document, with what its checks need. */
export interface StepDraft {
  readonly step: Step
  readonly section: Section
  readonly node: MapNode
  /** Undefined if the document names a type that does not exist. */
  readonly type: StepType | undefined
  /** Undefined if the document does not say. */
  readonly needsNode: DocumentNode | undefined
  readonly withEntry: Entry | undefined
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

/** The steps of one section; `needs` holds only what the document says (step-graph.ts adds the rest). */
export function readSteps(
  root: DocumentNode,
  section: Section,
  context: {
    readonly stepTypes: ReadonlyMap<string, StepType>
    readonly defaults: StepDefaults
    readonly templates: TemplateReader
    readonly reporter: DiagnosticCollector
  },
): StepDraft[] {
  return itemsOf(childOf(root, section))
    .slice(0, MAX_STEPS)
    .flatMap((node) => {
      const id = textOf(childOf(node, 'id'))
      if (node.kind !== 'map' || id === undefined) return []
      const uses = textOf(childOf(node, 'uses')) ?? ''
      const type = context.stepTypes.get(uses)
      const step = readStep(node, { id, uses, type }, context)
      const [needsNode, withEntry] = [childOf(node, 'needs'), node.entries.get('with')]
      return [{ step, section, node, type, needsNode, withEntry }]
    })
}

function readStep(
  node: MapNode,
  { id, uses, type }: { id: string; uses: string; type: StepType | undefined },
  context: Parameters<typeof readSteps>[2],
): Step {
  const { defaults, templates, reporter } = context
  const name = textOf(childOf(node, 'name'))
  const condition = templates.readExpression(childOf(node, 'if'), 'if')
  const forEach = readForEach(childOf(node, 'forEach'), templates)
  const retry = readRetry(childOf(node, 'retry'), defaults.retry)
  const timeoutMs = durationAt(node, 'timeout')
  const guard = readGuard(childOf(node, 'guard'), templates)
  const waits = type === undefined || type.startsJob
  return {
    id,
    uses,
    with: readWith(childOf(node, 'with'), templates),
    needs: itemsOf(childOf(node, 'needs')).flatMap((need) => textOf(need) ?? []),
    await: waits && readAwait(childOf(node, 'await'), defaults.await),
    expect: readExpectations(childOf(node, 'expect'), templates),
    continueOnError: isTrue(childOf(node, 'continueOnError')),
    at: reporter.positionOf(childOf(node, 'id') ?? node),
    ...(name !== undefined && { name }),
    ...(condition && { if: condition }),
    ...(forEach && { forEach }),
    ...(retry && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(guard && { guard }),
  }
}

/** Always a map of templates, one for each key. */
function readWith(node: DocumentNode | undefined, templates: TemplateReader): Template {
  const entries: Record<string, Template> = {}
  if (node?.kind === 'map') for (const [key, { value }] of node.entries) entries[key] = templates.read(value)
  return { kind: 'map', entries }
}

function readForEach(node: DocumentNode | undefined, templates: TemplateReader): ForEach | undefined {
  const items = childOf(node, 'items')
  return items && { ...readObject(forEachSchema, node), items: templates.read(items) }
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

const { enum: BREACHES, default: byDefault } = guardSchema.properties.onBreach

/** The `guard` of a step; undefined without one, or without an expression. */
function readGuard(node: DocumentNode | undefined, templates: TemplateReader): Guard | undefined {
  const of = templates.readExpression(childOf(node, 'of'), 'of')
  const min = readLimit(node, 'min', templates)
  const max = readLimit(node, 'max', templates)
  if (!of) return undefined
  const learn = childOf(node, 'learn')
  return {
    of,
    learn: learn?.kind === 'scalar' && learn.value === false ? false : readObject(learnSchema, learn),
    ...(min && { min }),
    ...(max && { max }),
    onBreach: oneOf(BREACHES, childOf(node, 'onBreach')) ?? byDefault,
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
