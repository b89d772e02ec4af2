import { reasonText } from '../../../../core/format/reason-text.ts'
import type { Slot, WatchedFile } from '../../api/types.ts'
import { RunLink, runAddress } from '../../runs/run-link.tsx'
import { Status } from '../../ui/status.tsx'

/** The outcome of a slot, as a link if it has a run. */
export function SlotState({
  slot,
}: {
  slot: Pick<Slot, 'outcome' | 'runId' | 'reason'> & Pick<WatchedFile, 'sameAs'>
}) {
  const { outcome, runId, reason, sameAs } = slot
  if (sameAs !== undefined && runId !== undefined)
    return (
      <>
        <Status status={outcome} />
        <span class="under">
          same content as <bdi class="break">{sameAs}</bdi>, run <RunLink runId={runId} />
        </span>
      </>
    )
  return (
    <>
      {runId === undefined ? (
        <Status status={outcome} />
      ) : (
        <a href={runAddress(runId)} title={runId}>
          <Status status={outcome} />
        </a>
      )}
      {reason !== undefined && <span class="under">{reasonText(reason)}</span>}
    </>
  )
}
