import type { Mutant } from './make-mutants.ts'

/** Text to insert at an offset, around the part up to `end`. */
interface Insertion {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

/**
 * A source with all of these mutants in it; no two overlap. Each asks by its number whether it is on, so one build and
 * one cache of Vitest serve all of them. `switchFile` has the answer.
 */
export function withSwitches(source: string, mutants: ReadonlyMap<number, Mutant>, switchFile: string): string {
  const all = [...mutants]
  const insertions = [
    ...all.flatMap(([number, { usedBy }]) => usedBy.map((place) => noteOf(place, number))),
    ...all.flatMap(([number, mutant]) => switchOf(source, number, mutant)),
  ]
  const order = new Map(insertions.map((insertion, at) => [insertion, at]))
  const inner = (a: Insertion, b: Insertion) => b.start - a.start || a.end - b.end || order.get(b)! - order.get(a)!
  const pieces = [
    ...insertions
      .filter(({ after }) => after !== '')
      .sort(inner)
      .map(({ end, after }) => ({ at: end, text: after })),
    ...insertions.sort((a, b) => inner(b, a)).map(({ start, before }) => ({ at: start, text: before })),
  ]
  let text = ''
  let from = 0
  for (const { at, text: inserted } of pieces.sort((a, b) => a.at - b.at)) {
    text += source.slice(from, at) + inserted
    from = at
  }
  return `${text}${source.slice(from)}\n${askedOf(switchFile)}`
}

function noteOf({ start, end }: { start: number; end?: number }, number: number): Insertion {
  if (end === undefined) return { start, end: Number.POSITIVE_INFINITY, before: `mutantIsOn(${number});`, after: '' }
  return { start, end, before: `(mutantIsOn(${number}), `, after: ')' }
}

function switchOf(source: string, number: number, { start, end, text, whole, usedBy }: Mutant): readonly Insertion[] {
  // If other places record the use of the mutant, this place is evaluated when the file is loaded.
  const isOn = usedBy.length > 0 ? `mutantIsOn(${number}, true)` : `mutantIsOn(${number})`
  if (whole.isStatement) return [{ ...whole, before: `{ if (!${isOn}) { `, after: ' } }' }]
  const changed = source.slice(whole.start, start) + text + source.slice(end, whole.end)
  return [
    ...(whole.begun ? [{ ...whole.begun, before: '{ ', after: ' }' }] : []),
    { start: whole.start, end: whole.end, before: `(${isOn} ? (${changed}) : (`, after: '))' },
  ]
}

/** Works in every process of the product, also in one without an environment. */
function askedOf(switchFile: string): string {
  return `function mutantIsOn(number, isLoading) {
  globalThis.mutantSwitch ??= process.getBuiltinModule('node:module').createRequire(${JSON.stringify(switchFile)})(${JSON.stringify(switchFile)})
  return globalThis.mutantSwitch.isOn(number, isLoading)
}
`
}
