import { didYouMean } from '../core/did-you-mean.ts'
import { isBlock, type Pipeline, type Step, type StepOrBlock } from '../core/pipeline.ts'
import type { DiagnosticCollector, Problem } from '../document/diagnostic-collector.ts'
import { childOf, itemsOf, textOf } from '../document/document-node.ts'
import { schemaOfType, type Type } from '../expressions/types.ts'
import { type AnyDraft, isStepDraft, type StepSection } from './read-steps.ts'

/** The steps that each step waits for. */
export interface StepGraph {
  /** Direct needs by step id; if the document names none, the step above. */
  readonly needs: ReadonlyMap<string, readonly string[]>
  /** Direct and indirect needs by step id. */
  readonly allNeeds: ReadonlyMap<string, ReadonlySet<string>>
}

/** Builds the graph of the steps; reports duplicate ids, unknown needs and circles. */
export function stepGraph(drafts: readonly AnyDraft[], reporter: DiagnosticCollector): StepGraph {
  reportDuplicates(drafts, reporter)
  const graph = { needs: new Map<string, readonly string[]>(), allNeeds: new Map<string, ReadonlySet<string>>() }
  const entries = drafts.filter(({ block }) => block === undefined)
  const main = entries.filter(({ section }) => section === 'steps')
  addOrdered(main, new Set(), drafts, graph, reporter)
  addOneByOne(entries, main, graph, reporter)
  for (const block of drafts.filter((draft) => !isStepDraft(draft))) {
    const inside = drafts.filter((draft) => draft.block === block)
    // All steps that the block waits for have ended before any of its items begins.
    addOrdered(inside, graph.allNeeds.get(block.step.id) ?? new Set(), drafts, graph, reporter)
  }
  return graph
}

/** The steps of each section, with what they need and the types of their items. */
export function sectionsOf(
  drafts: readonly AnyDraft[],
  graph: StepGraph,
  itemTypes: ReadonlyMap<AnyDraft, Type>,
): Pick<Pipeline, StepSection> {
  const withNeeds = (chosen: (draft: AnyDraft) => boolean): StepOrBlock[] =>
    drafts.filter(chosen).map((draft) => {
      const step = { ...withItemSchema(draft.step, itemTypes.get(draft)), needs: graph.needs.get(draft.step.id) ?? [] }
      return isBlock(step) ? { ...step, steps: withNeeds(({ block }) => block === draft) as Step[] } : step
    })
  const sectionOf = (wanted: StepSection) => withNeeds(({ section, block }) => section === wanted && !block)
  return { steps: sectionOf('steps'), onFailure: sectionOf('onFailure'), finally: sectionOf('finally') }
}

function withItemSchema<S extends StepOrBlock>(step: S, item: Type | undefined): S {
  if (!step.forEach || !item || item.kind === 'dyn') return step
  return { ...step, forEach: { ...step.forEach, itemSchema: schemaOfType(item) } }
}

interface GrowingGraph {
  readonly needs: Map<string, readonly string[]>
  readonly allNeeds: Map<string, ReadonlySet<string>>
}

/**
 * Steps that can need each other: the steps of the run, or of one block. The steps in `before` end before any of them
 * begins.
 */
function addOrdered(
  steps: readonly AnyDraft[],
  before: ReadonlySet<string>,
  all: readonly AnyDraft[],
  graph: GrowingGraph,
  reporter: DiagnosticCollector,
): void {
  const needs = new Map<string, readonly string[]>()
  const unclear = new Set<string>()
  for (const [index, draft] of steps.entries()) {
    const { id } = draft.step
    if (needs.has(id) || graph.needs.has(id)) {
      unclear.add(id)
      continue
    }
    const above = steps[index - 1]?.step.id
    const known = draft.needsNode ? knownNeeds(draft, steps, all, reporter) : above === undefined ? [] : [above]
    const isUnclear =
      draft.needsNode && (draft.needsNode.kind !== 'list' || known.length < draft.needsNode.items.length)
    if (isUnclear) unclear.add(id)
    needs.set(id, known)
  }
  for (const id of reportCircles(steps, needs, reporter)) unclear.add(id)
  for (const [id, direct] of needs) {
    const within = reachable(id, needs)
    // If a wrong order has been reported for this step or for one that it needs, an expression that reads a step is not
    // reported as well.
    const isUnclear = [id, ...within].some((other) => unclear.has(other))
    graph.needs.set(id, direct)
    graph.allNeeds.set(id, new Set([...before, ...(isUnclear ? needs.keys() : within)]))
  }
}

/**
 * The steps of onFailure and finally run one after another once the others are done, so they may read all other steps.
 */
function addOneByOne(
  entries: readonly AnyDraft[],
  main: readonly AnyDraft[],
  { needs, allNeeds }: GrowingGraph,
  reporter: DiagnosticCollector,
): void {
  const before = new Set(main.map(({ step }) => step.id))
  for (const draft of entries.filter(({ section }) => section !== 'steps')) {
    if (draft.needsNode) {
      const message = `needs is not allowed in ${draft.section}: its steps run one after another`
      reporter.error({ code: 'unknown-key', message }, draft.node.entries.get('needs')?.key ?? draft.needsNode)
    }
    if (!needs.has(draft.step.id)) {
      needs.set(draft.step.id, [])
      allNeeds.set(draft.step.id, new Set(before))
    }
    before.add(draft.step.id)
  }
}

function reportDuplicates(drafts: readonly AnyDraft[], reporter: DiagnosticCollector): void {
  const seen = new Set<string>()
  for (const { step, node } of drafts) {
    if (seen.has(step.id)) {
      const message = `there are two steps ${step.id}`
      reporter.error({ code: 'duplicate-id', message, hint: 'give each step its own id' }, childOf(node, 'id') ?? node)
    }
    seen.add(step.id)
  }
}

function knownNeeds(
  draft: AnyDraft,
  beside: readonly AnyDraft[],
  all: readonly AnyDraft[],
  reporter: DiagnosticCollector,
): string[] {
  const ids = beside.map(({ step }) => step.id)
  return itemsOf(draft.needsNode).flatMap((node) => {
    const id = textOf(node)
    if (id === undefined) return []
    if (id === draft.step.id) {
      reporter.error({ code: 'needs-itself', message: `${id} needs itself` }, node)
      return []
    }
    if (ids.includes(id)) return [id]
    const elsewhere = all.find(({ step, section }) => step.id === id && section === draft.section)
    if (elsewhere && elsewhere.block !== draft.block) {
      reporter.error(problemAcross(draft, elsewhere), node)
      return []
    }
    const others = new Set(ids.filter((other) => other !== draft.step.id))
    reporter.error({ code: 'unknown-step', message: `there is no step ${id}`, hint: didYouMean(id, [...others]) }, node)
    return []
  })
}

/** A step of a block can need only steps of the block; other steps can need only steps outside it. */
function problemAcross(draft: AnyDraft, need: AnyDraft): Problem {
  const id = need.step.id
  return need.block
    ? {
        code: 'unknown-step',
        message: `step ${id} is inside the forEach ${need.block.step.id}, so only steps of that forEach can need it`,
        hint: need.block === draft ? 'the steps of a forEach run inside it' : `need ${need.block.step.id}`,
      }
    : {
        code: 'unknown-step',
        message: `step ${id} is outside the forEach ${draft.block?.step.id}`,
        hint: `the steps of ${draft.block?.step.id} begin after everything that ${draft.block?.step.id} needs: add ${id} to its needs, or leave it out here`,
      }
}

/** Reports every circle once, with its path; returns the steps that are in one. */
function reportCircles(
  main: readonly AnyDraft[],
  needs: ReadonlyMap<string, readonly string[]>,
  reporter: DiagnosticCollector,
): ReadonlySet<string> {
  const inCircles = new Set<string>()
  const done = new Set<string>()
  for (const { step } of main) {
    const path: string[] = []
    // Searches depth first with its own stack, because a document may have thousands of steps in a chain.
    const stack: { id: string; next: number }[] = [{ id: step.id, next: 0 }]
    while (stack.length > 0) {
      const top = stack[stack.length - 1]
      if (!top) break
      if (top.next === 0) path.push(top.id)
      const need = done.has(top.id) ? undefined : needs.get(top.id)?.[top.next++]
      if (need === undefined) {
        done.add(top.id)
        stack.pop()
        path.pop()
        continue
      }
      const start = path.indexOf(need)
      if (start === -1) {
        if (!done.has(need)) stack.push({ id: need, next: 0 })
        continue
      }
      const circle = path.slice(start)
      if (!circle.every((id) => inCircles.has(id))) reportCircle(circle, main, reporter)
      for (const id of circle) inCircles.add(id)
    }
  }
  return inCircles
}

function reportCircle(circle: readonly string[], main: readonly AnyDraft[], reporter: DiagnosticCollector): void {
  const first = main.find(({ step }) => circle.includes(step.id))
  if (!first) return
  const from = circle.indexOf(first.step.id)
  const path = [...circle.slice(from), ...circle.slice(0, from), first.step.id]
  const message = `the steps wait for each other: ${path.join(' → ')} (→ means needs)`
  const implied = main.find(({ step, needsNode }) => circle.includes(step.id) && !needsNode)?.step.id
  const hint =
    implied === undefined
      ? 'remove one of these needs'
      : `remove one of these needs; ${implied} has none, so it needs the step above it; write needs: [] to change that`
  reporter.error({ code: 'needs-circle', message, hint }, first.needsNode ?? childOf(first.node, 'id') ?? first.node)
}

function reachable(id: string, needs: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>()
  const todo = [...(needs.get(id) ?? [])]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (found.has(next)) continue
    found.add(next)
    todo.push(...(needs.get(next) ?? []))
  }
  return found
}
