import { didYouMean } from '../core/did-you-mean.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, itemsOf, textOf } from '../document/document-node.ts'
import type { StepDraft } from './read-steps.ts'

/** The steps that each step waits for. */
export interface StepGraph {
  /** Direct needs by step id; if the document names none, the step above. */
  readonly needs: ReadonlyMap<string, readonly string[]>
  /** Direct and indirect needs by step id. */
  readonly allNeeds: ReadonlyMap<string, ReadonlySet<string>>
}

/** Builds the graph of the steps; reports duplicate ids, unknown needs and circles. */
export function stepGraph(drafts: readonly StepDraft[], reporter: DiagnosticCollector): StepGraph {
  reportDuplicates(drafts, reporter)
  const main = drafts.filter(({ section }) => section === 'steps')
  const needs = new Map<string, readonly string[]>()
  for (const [index, draft] of main.entries()) {
    if (needs.has(draft.step.id)) continue
    const above = main[index - 1]?.step.id
    needs.set(draft.step.id, draft.needsNode ? knownNeeds(draft, main, reporter) : above === undefined ? [] : [above])
  }
  const inCircles = reportCircles(main, needs, reporter)
  const allNeeds = new Map<string, ReadonlySet<string>>()
  for (const id of needs.keys()) allNeeds.set(id, inCircles.has(id) ? new Set(needs.keys()) : reachable(id, needs))
  addOrderedSections(drafts, main, needs, allNeeds, reporter)
  return { needs, allNeeds }
}

/** The steps of onFailure and finally run one after another once the others are done, so they may read all of them. */
function addOrderedSections(
  drafts: readonly StepDraft[],
  main: readonly StepDraft[],
  needs: Map<string, readonly string[]>,
  allNeeds: Map<string, ReadonlySet<string>>,
  reporter: DiagnosticCollector,
): void {
  const before = new Set(main.map(({ step }) => step.id))
  for (const draft of drafts.filter(({ section }) => section !== 'steps')) {
    if (draft.needsNode) {
      const message = `needs is not known in ${draft.section}: its steps run one after another`
      reporter.error({ code: 'unknown-key', message }, draft.node.entries.get('needs')?.key ?? draft.needsNode)
    }
    if (!needs.has(draft.step.id)) {
      needs.set(draft.step.id, [])
      allNeeds.set(draft.step.id, new Set(before))
    }
    before.add(draft.step.id)
  }
}

function reportDuplicates(drafts: readonly StepDraft[], reporter: DiagnosticCollector): void {
  const seen = new Set<string>()
  for (const { step, node } of drafts) {
    if (seen.has(step.id)) {
      const message = `there are two steps ${step.id}`
      reporter.error({ code: 'duplicate-id', message, hint: 'give each step its own id' }, childOf(node, 'id') ?? node)
    }
    seen.add(step.id)
  }
}

function knownNeeds(draft: StepDraft, main: readonly StepDraft[], reporter: DiagnosticCollector): string[] {
  const ids = main.map(({ step }) => step.id)
  return itemsOf(draft.needsNode).flatMap((node) => {
    const id = textOf(node)
    if (id === undefined) return []
    if (id === draft.step.id) {
      reporter.error({ code: 'needs-itself', message: `${id} needs itself` }, node)
      return []
    }
    if (ids.includes(id)) return [id]
    const hint = didYouMean(
      id,
      ids.filter((other) => other !== draft.step.id),
    )
    reporter.error({ code: 'unknown-step', message: `there is no step ${id}`, hint }, node)
    return []
  })
}

/** Reports every circle once, with its path; returns the steps that are in one. */
function reportCircles(
  main: readonly StepDraft[],
  needs: ReadonlyMap<string, readonly string[]>,
  reporter: DiagnosticCollector,
): ReadonlySet<string> {
  const inCircles = new Set<string>()
  const done = new Set<string>()
  for (const { step } of main) {
    const path: string[] = []
    // Depth first, with a stack of our own: a document may have thousands of steps in a chain.
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

function reportCircle(circle: readonly string[], main: readonly StepDraft[], reporter: DiagnosticCollector): void {
  const first = main.find(({ step }) => circle.includes(step.id))
  if (!first) return
  const from = circle.indexOf(first.step.id)
  const path = [...circle.slice(from), ...circle.slice(0, from), first.step.id]
  const message = `the steps wait for each other: ${path.join(' → ')} (→ is needs)`
  reporter.error({ code: 'needs-circle', message }, first.needsNode ?? childOf(first.node, 'id') ?? first.node)
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
