import type { Run } from '../api/types.ts'
import { to } from '../router/location.ts'

/** What started a run: a slot, a file, another run or a person. */
export function StartedBy({ run }: { run: Run }) {
  const { triggerKind, triggerLabel, startedBy, seededFrom } = run
  if (seededFrom !== undefined)
    return (
      <>
        Retry of <a href={to(`/runs/${encodeURIComponent(seededFrom)}`)}>{shortId(seededFrom)}</a>
        {startedBy !== undefined && <By who={startedBy} />}
      </>
    )
  if (triggerKind === 'manual') return startedBy === undefined ? <>By hand</> : <bdi>{startedBy}</bdi>
  return (
    <>
      {KINDS[triggerKind] ?? triggerKind} <bdi class="break">{triggerLabel}</bdi>
      {startedBy !== undefined && <By who={startedBy} />}
    </>
  )
}

const KINDS: Readonly<Record<string, string>> = { schedule: 'Slot', watch: 'File', run: 'Run' }

function By({ who }: { who: string }) {
  return (
    <span class="under">
      by <bdi>{who}</bdi>
    </span>
  )
}

/** The part of a run's id that tells it from others: what is after the time. */
export function shortId(runId: string): string {
  return runId.slice(runId.lastIndexOf('-') + 1)
}
