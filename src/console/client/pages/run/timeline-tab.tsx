import { useEffect } from 'preact/hooks'
import { count } from '../../../../core/format/figures.ts'
import type { GraphStepItem, RunDetail, StepItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { DagStrip } from '../../charts/dag-strip.tsx'
import { ofRun } from '../../live/changes.ts'
import { place, setQuery } from '../../router/location.ts'
import { standingOf } from '../../runs/standing-of.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { type Choice, choiceInUrl, choiceOf } from './choice.ts'
import { GuardTable } from './guard-facts.tsx'
import { StepDetails } from './step-details.tsx'
import { StepTimeline } from './step-timeline.tsx'

const MOST_STEPS = 1000
/** Nobody can read a larger graph, and the browser needs seconds to draw it. */
const MOST_NODES = 300
const MOST_EDGES = 1000

/** The steps: their graph, when each ran, and the details of the chosen one. */
export function TimelineTab({ detail }: { detail: RunDetail }) {
  const { runId } = detail.run
  const read = useRead('runs.steps', { runId, limit: MOST_STEPS }, ofRun(runId))
  const document = useRead('runs.document', { runId })
  const given = choiceInUrl(place.value.query)
  const chosen = given.step === undefined ? firstChoice(detail, read.data?.steps) : given
  useEffect(() => {
    const wanted = detail.waits.find(({ ref }) => ref === place.peek().query.get('ref'))
    if (wanted) setQuery({ ...choiceOf(wanted), ref: undefined })
  }, [])
  const choose = ({ step, index, inner }: Choice) => {
    setQuery({ step, index, inner, ref: undefined })
    requestAnimationFrame(showDetails)
  }
  return (
    <Loaded read={read}>
      {({ steps }) => {
        const nodes = document.data?.steps ?? []
        const graph = nodes.filter(({ block }) => block === undefined)
        if (steps.length === 0 && graph.length === 0) return <Empty>No step has begun.</Empty>
        return (
          <>
            {graph.length > 1 && isDrawn(graph) && (
              <DagStrip
                nodes={graph}
                statusOf={(id) => statusIn(steps, id)}
                chosen={chosen.step}
                onChoose={(step) => choose({ step })}
              />
            )}
            {graph.length > 1 && !isDrawn(graph) && (
              <p class="muted under-tabs">The graph of {count(graph.length, 'step')} is too large to draw.</p>
            )}
            <div class="run-grid">
              <StepTimeline detail={detail} steps={steps} graph={graph} chosen={chosen} onChoose={choose} />
              {chosen.step !== undefined && (
                <StepDetails
                  key={JSON.stringify(chosen)}
                  detail={detail}
                  chosen={chosen}
                  step={steps.find(({ step }) => step === chosen.step)}
                  node={nodes.find(({ id, block }) =>
                    chosen.inner === undefined
                      ? id === chosen.step && block === undefined
                      : id === chosen.inner && block === chosen.step,
                  )}
                />
              )}
            </div>
            <GuardTable steps={steps} />
          </>
        )
      }}
    </Loaded>
  )
}

/** Scrolls to the details, because on a narrow screen they are below the list, which may be long. */
function showDetails(): void {
  const details = document.querySelector('.details')
  if (details && details.getBoundingClientRect().top > innerHeight - 80) details.scrollIntoView()
}

function isDrawn(graph: readonly GraphStepItem[]): boolean {
  return graph.length <= MOST_NODES && graph.reduce((sum, { needs }) => sum + needs.length, 0) <= MOST_EDGES
}

/** The step to show first: a step that is waiting, has failed or is running; otherwise the last step. */
function firstChoice({ waits }: RunDetail, steps: readonly StepItem[] = []): Choice {
  if (waits[0]) return choiceOf(waits[0])
  const of = (status: StepItem['status']) => steps.find((step) => step.status === status)
  return { step: (of('waiting') ?? of('failed') ?? of('running') ?? steps.at(-1))?.step }
}

function statusIn(steps: readonly StepItem[], id: string): string | undefined {
  const found = steps.find(({ step }) => step === id)
  return found && standingOf(found).status
}
