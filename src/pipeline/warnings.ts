import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, type Span, scalarsIn, textOf } from '../document/document-node.ts'
import type { StepDraft } from './read-steps.ts'

/** The fields that identify what a step ensures, in the order of comparison. */
const KEYS: Readonly<Record<string, { readonly what: string; readonly fields: readonly string[] }>> = {
  'segments.ensure': { what: 'segment', fields: ['participantSegmentId'] },
  'matches.ensure': { what: 'match', fields: ['segmentId', 'groupId', 'partnerId', 'deliveryScopes'] },
  'activations.ensure': { what: 'activation', fields: ['activationName', 'segmentId', 'matchJobId'] },
}

interface Ensuring {
  readonly draft: StepDraft
  readonly what: string
  /** What the step ensures, and its identifying fields as they are written. */
  readonly key: string
  /** Where the key begins. */
  readonly place: Span
}

/**
 * Warns if two steps, or two items of a forEach, ensure the same thing, because each would undo or repeat the work of
 * the other. Steps that both have an `if` may exclude each other, so they get no warning.
 */
export function warnOfSameThing(drafts: readonly StepDraft[], reporter: DiagnosticCollector): void {
  const ensuring = drafts.flatMap(ensuringOf)
  for (const one of ensuring) {
    warnOfItems(one, reporter)
    for (const other of ensuring) {
      if (one === other || !areSame(one, other)) continue
      const message = `steps "${one.draft.step.id}" and "${other.draft.step.id}" ensure the same ${one.what}`
      const hint = 'let one step ensure it, or give each its own; if only one of them runs, give both an `if`'
      reporter.warning({ code: 'same-thing-twice', message, hint }, one.place)
    }
  }
}

function ensuringOf(draft: StepDraft): Ensuring[] {
  const key = KEYS[draft.step.uses]
  const given = draft.withEntry?.value
  if (!key || given?.kind !== 'map') return []
  const values = key.fields.map((field) => childOf(given, field))
  const [first] = values
  if (!first) return []
  // A match that names a group is with that group, whatever `partner` says (decision 60).
  const isOfGroup = childOf(given, 'groupId') !== undefined
  const written = key.fields.map((field, index) =>
    isOfGroup && field === 'partnerId' ? null : asWritten(values[index]),
  )
  return [{ draft, what: key.what, key: JSON.stringify([key.what, ...written]), place: first }]
}

/**
 * A list becomes sorted and without repeated items, because neither order nor repeats matter in the scopes of a match.
 */
function asWritten(node: DocumentNode | undefined): string | readonly string[] | null {
  if (node?.kind === 'scalar') return String(node.value)
  return node?.kind === 'list' ? [...new Set(node.items.map((item) => JSON.stringify(asWritten(item))))].sort() : null
}

/**
 * Whether both steps ensure the same thing. The same text can mean different things, because an expression may read the
 * item of its forEach.
 */
function areSame(one: Ensuring, other: Ensuring): boolean {
  if (one.key !== other.key || one.draft.section !== other.draft.section) return false
  const [a, b] = [one.draft, other.draft]
  const mayExclude = (conditionOf(a) && conditionOf(b)) !== undefined
  const haveSameItem = a.block === b.block && !a.step.forEach && !b.step.forEach
  return !mayExclude && (isConstant(one) || haveSameItem)
}

function conditionOf({ step, block }: StepDraft) {
  return step.if ?? block?.step.if
}

function isConstant({ key }: Ensuring): boolean {
  return !key.includes('${{')
}

/**
 * Warns if items of a forEach ensure the same thing: all items if the key is constant, otherwise items that are listed
 * twice.
 */
function warnOfItems(one: Ensuring, reporter: DiagnosticCollector): void {
  const { draft, what, place } = one
  const loop = draft.step.forEach ? draft : draft.block
  if (!loop) return
  const hint = 'use a part of the item, so that each item ensures a different thing, or leave the forEach out'
  if (isConstant(one)) {
    const message = `every item of the forEach ensures the same ${what}`
    reporter.warning({ code: 'same-thing-twice', message, hint }, place)
    return
  }
  const items = itemsOf(childOf(childOf(loop.node, 'forEach'), 'items'))
  const seen = new Set<string>()
  for (const item of items) {
    if (item.kind !== 'scalar') continue
    const written = String(item.value)
    if (seen.has(written)) {
      const message = `the item ${written} is listed twice, and both ensure the same ${what}`
      reporter.warning({ code: 'same-thing-twice', message, hint: 'leave one of them out' }, item)
    }
    seen.add(written)
  }
}

/** The names that expressions at a position read under `inputs`, `variables`, `env` and `steps`. */
type KnownNames = Readonly<Partial<Record<'inputs' | 'variables' | 'env' | 'steps', readonly string[]>>>

/** Warns of text that is only a name that expressions know, such as `inputs.title`: somebody forgot the braces. */
export function warnOfBareNames(
  node: DocumentNode | undefined,
  known: KnownNames,
  reporter: DiagnosticCollector,
): void {
  for (const scalar of scalarsIn(node)) {
    const name = textOf(scalar)
    if (name === undefined || !isBareName(name, known)) continue
    const hint = `write "\${{ ${name} }}"`
    reporter.warning({ code: 'bare-name', message: `${name} is plain text here`, hint }, scalar)
  }
}

/** A longer name, such as `inputs.list.csv`, may be the name of a file. */
const BARE_NAME = /^(?:(inputs|variables|env)\.(\w+)|(steps)\.(\w+)\.outputs(?:\.\w+)*)$/

/** Whether a string is the name of an input, a variable, an environment variable or the outputs of a step. */
function isBareName(text: string, known: KnownNames): boolean {
  const [, root = 'steps', name, , step] = BARE_NAME.exec(text) ?? []
  return known[root as keyof KnownNames]?.includes(name ?? step ?? '') ?? false
}
