import type { GraphStep, Step } from '../../api/types.ts'

export interface Made {
  readonly kind: string
  readonly step: string
  /** What was made: a name or an id, and a number worth knowing. */
  readonly facts: readonly (readonly [name: string, value: string | number])[]
}

const KINDS: readonly (readonly [prefix: string, kind: string, fields: readonly string[]])[] = [
  ['files.', 'File', ['name', 'rows', 'bytes']],
  ['segments.', 'Segment', ['segmentId', 'segmentName']],
  ['matches.', 'Match', ['matchJobId', 'matchCount']],
  ['activations.', 'Activation', ['activationId', 'Status']],
]

/** What a run made at the service, from the file to the activation. */
export function lineageOf(graph: readonly GraphStep[], steps: readonly Step[]): Made[] {
  return KINDS.flatMap(([prefix, kind, fields]) =>
    graph
      .filter(({ uses }) => uses.startsWith(prefix))
      .flatMap(({ id }) => {
        const outputs = steps.find(({ step }) => step === id)?.outputs
        if (typeof outputs !== 'object' || outputs === null) return []
        const known = outputs as Readonly<Record<string, unknown>>
        const facts = fields.flatMap((name) => {
          const value = known[name]
          return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : []
        })
        return facts.length === 0 ? [] : [{ kind, step: id, facts }]
      }),
  )
}
