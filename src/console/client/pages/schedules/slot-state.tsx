import { reasonText } from '../../../../core/format/reason-text.ts'
import type { FileItem, ScheduleItem, SlotItem } from '../../api/types.ts'
import { RunLink, runAddress } from '../../runs/run-link.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

/** The outcome of a slot, as a link if it has a run. */
export function SlotState({
  slot,
}: {
  slot: Pick<SlotItem, 'outcome' | 'runId' | 'reason'> & Pick<FileItem, 'sameAs'>
}) {
  const { outcome, runId, reason, sameAs } = slot
  const status = <Status status={outcome} />
  if (sameAs !== undefined && runId !== undefined)
    return (
      <>
        {status}
        <span class="under">
          same content as <bdi class="break">{sameAs}</bdi>, run <RunLink runId={runId} />
        </span>
      </>
    )
  return (
    <>
      {runId === undefined ? (
        status
      ) : (
        <a href={runAddress(runId)} title={runId}>
          {status}
        </a>
      )}
      {reason !== undefined && <span class="under">{reasonText(reason)}</span>}
    </>
  )
}

/** The outcome of the last slot of a trigger, and when it was. */
export function LastSlot({ last }: Pick<ScheduleItem, 'last'>) {
  if (!last) return <span class="muted">None yet</span>
  return (
    <>
      <SlotState slot={last} />
      <span class="under">
        <Time at={last.at} />
      </span>
    </>
  )
}

export function PausedSince({ at }: { at: string }) {
  return (
    <>
      <span class="chip wait">paused</span>
      <span class="under">
        since <Time at={at} />
      </span>
    </>
  )
}
