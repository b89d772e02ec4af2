import { formatDuration } from '../../../core/format/duration-text.ts'
import type { Run } from '../api/types.ts'
import { NONE } from '../ui/table.tsx'
import { Since } from '../ui/time.tsx'

/** How long a run was in the queue. The time grows until the run begins. */
export function QueuedFor({ run }: { run: Run }) {
  if (run.queuedMs !== undefined) return run.queuedMs < 1000 ? NONE : <Took ms={run.queuedMs} />
  return run.status === 'queued' ? <Since at={run.submittedAt} /> : NONE
}

/** How long a run took, without the time in the queue. */
export function RanFor({ run }: { run: Run }) {
  if (run.ranMs !== undefined) return <Took ms={run.ranMs} />
  const isOver = run.finishedAt !== undefined
  return run.beganAt === undefined || isOver ? NONE : <Since at={run.beganAt} />
}

export function Took({ ms }: { ms: number }) {
  return <span class="figure">{formatDuration(ms)}</span>
}
