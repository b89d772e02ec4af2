import type { GraphStepItem } from '../api/types.ts'

type GraphNode = Pick<GraphStepItem, 'id' | 'needs'>

/**
 * Puts each node one column after the last node that it needs. Within a column, nodes are near the nodes that they
 * need. Ignores needs that are not in the list.
 */
export function layers(nodes: readonly GraphNode[]) {
  const known = new Map(nodes.map((node) => [node.id, node]))
  const columns = new Map<string, number>()
  const columnOf = (id: string, path: readonly string[]): number => {
    const done = columns.get(id)
    if (done !== undefined) return done
    const needs = (known.get(id)?.needs ?? []).filter((need) => known.has(need) && !path.includes(need))
    const column = Math.max(-1, ...needs.map((need) => columnOf(need, [...path, id]))) + 1
    columns.set(id, column)
    return column
  }
  for (const { id } of nodes) columnOf(id, [])
  const spots = new Map<string, { readonly column: number; readonly row: number }>()
  const last = Math.max(-1, ...columns.values())
  for (let column = 0; column <= last; column++) {
    const here = nodes.filter(({ id }) => columns.get(id) === column)
    const wish = ({ needs }: GraphNode) => {
      const rows = needs.flatMap((need) => spots.get(need)?.row ?? [])
      return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length
    }
    for (const [row, { id }] of here.toSorted((a, b) => wish(a) - wish(b)).entries()) spots.set(id, { column, row })
  }
  return spots
}
