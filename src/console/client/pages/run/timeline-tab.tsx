import { useEffect } from 'preact/hooks'
import type { RunDetail, Step } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { DagStrip } from '../../charts/dag-strip.tsx'
import { concernsRun } from '../../live/changes.ts'
import { place, setQuery } from '../../router/location.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { StepDetails } from './step-details.tsx'
import { Timeline } from './timeline.tsx'

const MOST_STEPS = 1000
const MOST_NODES = 200

/** The steps: how they hang together, when each ran, and all about the chosen one. */
export function TimelineTab({ detail, reload }: { readonly detail: RunDetail; readonly reload: () => void }) {
  const { runId } = detail.run
  const read = useRead('/runs/{runId}/steps', { runId, limit: MOST_STEPS }, (change) => concernsRun(change, runId))
  const document = useRead('/runs/{runId}/document', { runId })
  const { query } = place.value
  const chosenId = query.get('step') ?? firstChoice(detail, read.data?.steps)
  const index = query.get('index') ?? undefined
  const isChosenByAddress = query.has('step')
  useEffect(() => {
    if (!isChosenByAddress && detail.waits[0]?.index !== undefined)
      setQuery({ step: detail.waits[0].step, index: detail.waits[0].index })
  }, [])
  const choose = (step: string, item?: number) => setQuery({ step, index: item })
  return (
    <Loaded read={read}>
      {({ steps }) => {
        const graph = document.data?.steps ?? []
        const chosen = steps.find(({ step }) => step === chosenId)
        return (
          <>
            {graph.length > 1 && graph.length <= MOST_NODES && (
              <DagStrip
                nodes={graph}
                statusOf={(id) => steps.find(({ step }) => step === id)?.status}
                chosen={chosenId}
                onChoose={choose}
              />
            )}
            {steps.length === 0 && graph.length === 0 ? (
              <Empty>No step has begun.</Empty>
            ) : (
              <div class="run-grid">
                <Timeline
                  detail={detail}
                  steps={steps}
                  graph={graph}
                  chosen={{ step: chosenId, index }}
                  onChoose={choose}
                />
                {chosenId !== undefined && (
                  <StepDetails
                    key={`${chosenId} ${index}`}
                    detail={detail}
                    step={chosen}
                    node={graph.find(({ id }) => id === chosenId)}
                    index={index === undefined ? undefined : Number(index)}
                    reload={() => {
                      reload()
                      read.reload()
                    }}
                  />
                )}
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** The step that waits, or failed, or runs; otherwise the last one. */
function firstChoice({ waits }: RunDetail, steps: readonly Step[] = []): string | undefined {
  const of = (status: Step['status']) => steps.find((step) => step.status === status)?.step
  return waits[0]?.step ?? of('waiting') ?? of('failed') ?? of('running') ?? steps.at(-1)?.step
}
