/**
 * The order in which runs of several kinds begin: first the kind with the fewest active runs, counting those before it in
 * this order. `underWay` has the number of active runs of each kind.
 */
export function fairOrder(
  candidates: readonly { readonly runId: string; readonly kind: string }[],
  underWay: ReadonlyMap<string, number>,
): string[] {
  const counts = new Map(underWay)
  return candidates
    .map(({ runId, kind }) => {
      const before = counts.get(kind) ?? 0
      counts.set(kind, before + 1)
      return { runId, before }
    })
    .sort((a, b) => a.before - b.before)
    .map(({ runId }) => runId)
}
