/** The steps that a retry repeats: the steps that did not succeed, or the chosen step and all steps that need it. */
export function repeatedSteps(
  graph: readonly { id: string; needs: readonly string[] }[],
  steps: readonly { step: string; status: string }[],
  from: string,
): string[] {
  const succeeded = new Set(steps.filter(({ status }) => status === 'succeeded').map(({ step }) => step))
  const again = new Set(graph.map(({ id }) => id).filter((id) => id === from || !succeeded.has(id)))
  for (let size = -1; size !== again.size; ) {
    size = again.size
    for (const { id, needs } of graph) if (from !== '' && needs.some((need) => again.has(need))) again.add(id)
  }
  return graph.map(({ id }) => id).filter((id) => again.has(id))
}
