/**
 * The candidate that a mistyped or shortened name most likely means; undefined if none is close. Long names are not
 * compared, so that the time is limited.
 */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const wanted = name.toLowerCase()
  const allowed = Math.max(1, Math.floor(name.length / 3))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > allowed) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best ?? shortened(wanted, candidates)
}

/** The only candidate that begins with a name. */
function shortened(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length < SHORTEST) return undefined
  const [found, another] = [...candidates].filter((candidate) => candidate.toLowerCase().startsWith(name))
  return another === undefined ? found : undefined
}

/** A hint for a name whose candidates are already listed. */
export function closestHint(name: string, candidates: Iterable<string>): string | undefined {
  const closest = closestName(name, candidates)
  return closest === undefined ? undefined : `did you mean ${closest}?`
}

/** A hint for an unknown name: the closest candidate, or all candidates if there are few. */
export function didYouMean(name: string, candidates: readonly string[]): string | undefined {
  const closest = closestHint(name, candidates)
  if (closest !== undefined) return closest
  if (candidates.length === 0 || candidates.length > MAX_LISTED) return undefined
  return `known here: ${candidates.join(', ')}`
}

const MAX_LENGTH = 100
const SHORTEST = 3
const MAX_LISTED = 24

/**
 * The smallest number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let distance = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(distance)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
