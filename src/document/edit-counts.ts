import { isAlias, isCollection, isMap, isNode, isScalar, type Pair, parseDocument, visit, type YAMLMap } from 'yaml'

/** A map of counts in a YAML document, and the counts that it should have. */
export interface CountsEdit {
  /** The keys and indexes that lead to the map. */
  readonly path: readonly (string | number)[]
  readonly counts: Readonly<Record<string, number>>
}

/** Replaces a part of a text. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Changes maps of counts in a text. Everything else stays as it is: comments, order, style. `made` contains the edits
 * that were made, with the lines of their maps. An edit is impossible if an alias repeats the map in several places.
 */
export function editCounts(
  text: string,
  edits: readonly CountsEdit[],
): { readonly text: string; readonly made: ReadonlyMap<CountsEdit, number> } {
  // The parser leaves a byte order mark out of its offsets.
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const bare = text.slice(mark.length)
  const document = parseDocument(bare, { keepSourceTokens: true, uniqueKeys: false, logLevel: 'error' })
  const anchored = new Set<string>()
  visit(document, { Alias: (_, { source }) => void anchored.add(source) })
  const made = new Map<CountsEdit, number>()
  const splices = edits.flatMap((edit) => {
    const map = mapAt(document.contents, edit.path, anchored)
    if (!map) return []
    made.set(edit, bare.slice(0, map.range?.[0]).split('\n').length)
    return splicesOf(map, edit.counts, bare)
  })
  let edited = bare
  for (const { start, end, text: other } of splices.toSorted((a, b) => b.start - a.start))
    edited = edited.slice(0, start) + other + edited.slice(end)
  return { text: mark + edited, made }
}

/** The map at a path; undefined if there is none, or if an alias repeats the map elsewhere. */
function mapAt(root: unknown, path: CountsEdit['path'], anchored: ReadonlySet<string>): YAMLMap | undefined {
  let node = root
  for (const key of path) {
    if (!isCollection(node) || isAnchored(node, anchored)) return undefined
    node = node.get(key, true)
  }
  if (!isMap(node) || isAnchored(node, anchored)) return undefined
  const values = node.items.map(({ value }) => value)
  return values.every((value) => isScalar(value) && !isAnchored(value, anchored)) ? node : undefined
}

function isAnchored(node: unknown, anchored: ReadonlySet<string>): boolean {
  return isAlias(node) || (isNode(node) && 'anchor' in node && node.anchor !== undefined && anchored.has(node.anchor))
}

function splicesOf(map: YAMLMap, counts: CountsEdit['counts'], text: string): Splice[] {
  const [start = 0, end = start] = map.range ?? []
  const pairs = map.items.map((pair) => placeOf(pair, text))
  const known = new Set(pairs.map(({ key }) => key))
  const added = Object.entries(counts).filter(([key]) => !known.has(key))
  // A zero in the document stays.
  const kept = pairs.filter(({ key, count }) => (counts[key] ?? 0) > 0 || count === 0)
  if (kept.length === 0) {
    const whole = added.map(pairText).join(', ')
    return [{ start, end: pairs.at(-1)?.end ?? end, text: whole === '' ? '{}' : `{ ${whole} }` }].map((splice) =>
      map.flow || pairs.length === 0 ? { ...splice, end } : splice,
    )
  }
  const changed = kept.flatMap(({ key, count, value }) => {
    const wanted = counts[key] ?? 0
    return wanted === count ? [] : [{ ...value, text: String(wanted) }]
  })
  const places = { pairs, kept, added, text }
  return [...changed, ...(map.flow ? flowSplices(places) : blockSplices(places))]
}

function pairText([key, count]: readonly [string, number]): string {
  return `${key}: ${count}`
}

interface PairPlace {
  readonly key: string
  readonly count: number
  readonly start: number
  readonly end: number
  readonly value: { readonly start: number; readonly end: number }
}

function placeOf({ key, value }: Pair, text: string): PairPlace {
  const [start = 0, to = start] = (isNode(key) && key.range) || []
  const [from = to, end = from] = (isNode(value) && value.range) || []
  const name = isScalar(key) ? String(key.value) : text.slice(start, to)
  return { key: name, count: isScalar(value) ? Number(value.value) : 0, start, end, value: { start: from, end } }
}

interface Places {
  readonly pairs: readonly PairPlace[]
  /** The pairs that stay: at least one. */
  readonly kept: readonly PairPlace[]
  readonly added: readonly (readonly [string, number])[]
  readonly text: string
}

/** Pairs with commas between them, on one line or several. A pair is removed with the comma that follows it. */
function flowSplices({ pairs, kept, added, text }: Places): Splice[] {
  const lastKept = pairs.findLastIndex((pair) => kept.includes(pair))
  const splices = pairs.slice(0, lastKept).flatMap((pair, at): Splice[] => {
    const next = pairs[at + 1]
    return kept.includes(pair) || !next ? [] : [{ start: pair.start, end: next.start, text: '' }]
  })
  const [before, last] = pairs.slice(-2)
  const blank = before && last ? /\s*$/.exec(text.slice(before.end, last.start))?.[0] : ' '
  const more = added.map((one) => `,${blank}${pairText(one)}`).join('')
  const end = pairs[lastKept]?.end ?? 0
  return [...splices, { start: end, end: pairs.at(-1)?.end ?? end, text: more }]
}

/** Pairs, one on each line. */
function blockSplices({ pairs, kept, added, text }: Places): Splice[] {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lineOf = ({ start, end }: PairPlace) => ({
    start: text.lastIndexOf('\n', start - 1) + 1,
    end: end + text.slice(end).search(/\r?\n|$/),
  })
  const splices = pairs.flatMap((pair): Splice[] => {
    if (kept.includes(pair)) return []
    const { start, end } = lineOf(pair)
    return [{ start, end: end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0), text: '' }]
  })
  const [last] = kept.slice(-1)
  if (!last || added.length === 0) return splices
  const { start, end } = lineOf(last)
  const indent = text.slice(start, last.start)
  return [...splices, { start: end, end, text: added.map((one) => newline + indent + pairText(one)).join('') }]
}
