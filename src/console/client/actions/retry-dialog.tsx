import { useSignal } from '@preact/signals'
import { post } from '../api/request.ts'
import type { GraphStep, RunDetail, Step } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { go } from '../router/location.ts'
import { runAddress } from '../runs/run-link.tsx'
import { ActDialog } from '../ui/act-dialog.tsx'
import { Facts } from '../ui/facts.tsx'
import { doneAgain } from './done-again.ts'

/** A new run that keeps what an ended one did; the dialog says what is kept and what is done again. */
export function RetryDialog({
  detail: { run },
  onClose,
}: {
  readonly detail: RunDetail
  readonly onClose: () => void
}) {
  const { runId, pipeline } = run
  const { data } = useRead('/runs/{runId}/steps', { runId, limit: 1000 })
  const document = useRead('/runs/{runId}/document', { runId })
  const from = useSignal('')
  const graph = (document.data?.steps ?? []).filter(({ section, block }) => section === 'steps' && block === undefined)
  const act = async (reason: { readonly reason?: string }) => {
    const next = await post('/runs/{runId}/retry', { runId, ...(from.value !== '' && { from: from.value }), ...reason })
    go(runAddress(next.runId))
    return next.state === 'skipped'
      ? `${pipeline} was skipped: its group is full`
      : `${pipeline}: the new run is ${next.state}`
  }
  return (
    <ActDialog title={`Retry ${pipeline}`} button="Start the new run" {...{ act, onClose }}>
      <label class="field">
        Begin with
        <select
          value={from}
          onChange={({ currentTarget }) => {
            from.value = currentTarget.value
          }}
        >
          <option value="">What did not succeed</option>
          {graph.map(({ id }) => (
            <option key={id} value={id}>
              {id}, and all that need it
            </option>
          ))}
        </select>
      </label>
      {data && <Split graph={graph} steps={data.steps} from={from.value} />}
    </ActDialog>
  )
}

function Split({
  graph,
  steps,
  from,
}: {
  readonly graph: readonly GraphStep[]
  readonly steps: readonly Step[]
  readonly from: string
}) {
  const again = doneAgain(graph, steps, from)
  const kept = graph.map(({ id }) => id).filter((id) => !again.includes(id))
  return (
    <Facts
      items={[
        ['Kept, with its results', kept.join(', ') || 'nothing'],
        ['Done again', again.join(', ') || 'nothing'],
      ]}
    />
  )
}
