import { formatNumber } from '../../../../core/format/figures.ts'
import type { GraphStepItem, StepItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { words } from '../../format/words.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'

/** The resources that the last good run created, from the file to the activation. */
export function LineageTab({ name }: { name: string }) {
  const read = useRead('runs.list', { pipeline: name, status: ['succeeded'], limit: 1 })
  return (
    <Loaded read={read}>
      {({ runs: [run] }) =>
        run ? (
          <>
            <p class="muted under-tabs">
              From the last good run, <RunLink runId={run.runId} />, <Time at={run.submittedAt} withZone />
            </p>
            <Chain runId={run.runId} />
          </>
        ) : (
          <Empty>No run of this pipeline has succeeded yet.</Empty>
        )
      }
    </Loaded>
  )
}

function Chain({ runId }: { runId: string }) {
  const steps = useRead('runs.steps', { runId, limit: 1000 })
  const document = useRead('runs.document', { runId })
  return (
    <Loaded read={steps}>
      {(data) => {
        const made = lineageOf(document.data?.steps ?? [], data.steps)
        if (made.length === 0) return document.data && <Empty>Its steps created nothing at the service.</Empty>
        return (
          <ol class="lineage">
            {made.map(({ kind, step, facts }, at) => (
              <li key={step}>
                {at > 0 && <Icon name="chevron" />}
                <div class="node">
                  <strong>{kind}</strong> <span class="muted">{step}</span>
                  {facts.map(([field, value]) => (
                    <div key={field}>
                      <span class="muted">{words(field)}</span>{' '}
                      <span class="break">
                        {typeof value === 'number' && !/Id$/.test(field) ? formatNumber(value) : value}
                      </span>
                    </div>
                  ))}
                </div>
              </li>
            ))}
          </ol>
        )
      }}
    </Loaded>
  )
}

/** The kinds of resources. Each has the output fields to show: the name or id, and the main number. */
const KINDS: readonly (readonly [prefix: string, kind: string, fields: readonly string[]])[] = [
  ['files.', 'File', ['name', 'rows', 'bytes']],
  ['segments.', 'Segment', ['segmentId', 'segmentName']],
  ['matches.', 'Match', ['matchJobId', 'matchCount']],
  ['activations.', 'Activation', ['activationId', 'Status']],
]

function lineageOf(graph: readonly GraphStepItem[], steps: readonly StepItem[]) {
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
