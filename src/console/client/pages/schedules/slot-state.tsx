import type { Slot } from '../../api/types.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Status } from '../../ui/status.tsx'

/** What became of a slot; a link where it has a run. */
export function SlotState({ slot: { state, runId, reason } }: { slot: Pick<Slot, 'state' | 'runId' | 'reason'> }) {
  return (
    <>
      {runId === undefined ? (
        <Status status={state} />
      ) : (
        <a href={runAddress(runId)} title={runId}>
          <Status status={state} />
        </a>
      )}
      {reason !== undefined && <span class="under">{reason}</span>}
    </>
  )
}
