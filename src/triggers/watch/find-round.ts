import { isSameFolder } from '../../platform/folder-identity.ts'
import type { Stop, Stops } from './stops.ts'

/**
 * The triggers through which a file comes back to the folder that it was taken from, beginning with `start`; undefined if
 * it does not come back. That one trigger takes what another has put into `done` is a chain, and allowed. A round never
 * ends: each trigger would take the same files again and again.
 */
export function findRound(start: Stop, stops: Stops): readonly string[] | undefined {
  const reached = new Set([start.name])
  const ways: { readonly at: Stop; readonly names: readonly string[] }[] = [{ at: start, names: [start.name] }]
  for (const { at, names } of ways) {
    const comesBack = at.leadsTo.some((folder) => isSameFolder(folder, start.path))
    if (comesBack && mayShareNames(at.pattern, start.pattern)) return names
    for (const next of at.leadsTo.flatMap((folder) => [...stops.at(folder)])) {
      if (reached.has(next.name) || !mayShareNames(at.pattern, next.pattern)) continue
      reached.add(next.name)
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
