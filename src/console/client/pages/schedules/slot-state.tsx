import type { Slot } from '../../api/types.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Status } from '../../ui/status.tsx'

/** What became of a slot; a link where it has a run. */
export function SlotState({ slot: { outcome, runId, reason } }: { slot: Pick<Slot, 'outcome' | 'runId' | 'reason'> }) {
  return (
    <>
      {runId === undefined ? (
        <Status status={outcome} />
      ) : (
        <a href={runAddress(runId)} title={runId}>
          <Status status={outcome} />
        </a>
      )}
      {reason !== undefined && <span class="under">{reason}</span>}
    </>
  )
}
