/** A watched folder on the way of files. Folders are compared by what tells them apart, `folder-identity.ts`. */
export interface Stop {
  /** The trigger, `nightly/drop`. */
  readonly name: string
  readonly path: string
  /** Its folders `done` and `failed`. */
  readonly leadsTo: readonly string[]
  readonly pattern: string
}

/**
 * The triggers through which a file comes back to the folder that it was taken from, beginning with `start`; undefined if
 * it does not come back. That one trigger takes what another has put into `done` is a chain, and allowed. A round never
 * ends: each trigger would take the same files again and again.
 */
export function findRound(start: Stop, all: Iterable<Stop>): readonly string[] | undefined {
  const stops = [...all]
  const reached = new Set<Stop>([start])
  const ways: { readonly at: Stop; readonly names: readonly string[] }[] = [{ at: start, names: [start.name] }]
  for (const { at, names } of ways) {
    if (at.leadsTo.includes(start.path) && mayShareNames(at.pattern, start.pattern)) return names
    for (const next of stops) {
      if (reached.has(next) || !at.leadsTo.includes(next.path) || !mayShareNames(at.pattern, next.pattern)) continue
      reached.add(next)
      ways.push({ at: next, names: [...names, next.name] })
    }
  }
  return undefined
}

/** False only if their literal endings show that no name matches both. A file keeps the ending of its name. */
function mayShareNames(one: string, other: string): boolean {
  const [a, b] = [endingOf(one), endingOf(other)]
  return a.endsWith(b) || b.endsWith(a)
}

function endingOf(pattern: string): string {
  return pattern.slice(Math.max(...['*', '?', ']', '}'].map((sign) => pattern.lastIndexOf(sign))) + 1)
}

/** A sentence about a round. */
export function roundText(names: readonly string[]): string {
  const [first] = names
  return names.length > 1
    ? `files would go round for ever: ${[...names, first].join(' → ')}`
    : 'done or failed is the watched folder itself, so files would be taken again and again'
}
