import type { Pipeline } from '../../core/pipeline.ts'

/**
 * The way back to a pipeline over those that its triggers come after: a → b → a; undefined if there is none. Their runs would
 * start each other without end.
 */
export function findCircle(name: string, pipelines: (name: string) => Pipeline | undefined): string[] | undefined {
  const seen = new Set<string>()
  const search = (from: string, way: readonly string[]): string[] | undefined => {
    for (const trigger of pipelines(from)?.triggers ?? []) {
      if (trigger.kind !== 'after') continue
      for (const next of trigger.pipelines) {
        if (next === name) return [...way, next]
        if (seen.has(next)) continue
        seen.add(next)
        const found = search(next, [...way, next])
        if (found) return found
      }
    }
    return undefined
  }
  return search(name, [name])
}
