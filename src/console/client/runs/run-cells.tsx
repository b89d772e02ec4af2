import { formatDuration } from '../../../core/format/duration-text.ts'
import { startParts } from '../../../core/format/start-text.ts'
import type { RunItem } from '../api/types.ts'
import { capitalised } from '../format/words.ts'
import { Status } from '../ui/status.tsx'
import { NONE } from '../ui/table.tsx'
import { Since } from '../ui/time.tsx'
import { runAddress, shortId } from './run-link.tsx'
import { type Shown, standingOf } from './standing-of.ts'

/** The status of a run or a step. */
export function Standing({ of, short }: { of: Shown; short?: boolean }) {
  return <Status {...standingOf(of)} short={short} />
}

/** What started a run, in the same words as on the command line: a slot, a file, another run or a person. */
export function StartedBy({ run }: { run: RunItem }) {
  const { what, runId, who } = startParts({ ...run, submittedAt: Date.parse(run.submittedAt) })
  return (
    <span class="clamp" title={what}>
      <bdi class="break">{capitalised(what)}</bdi>
      {runId !== undefined && (
        <>
          {' '}
          <a href={runAddress(runId)}>{shortId(runId)}</a>
        </>
      )}
      {who !== undefined && <bdi class="break">{who}</bdi>}
    </span>
  )
}

/** How long a run was in the queue. The time grows until the run begins. */
export function QueuedFor({ run }: { run: RunItem }) {
  if (run.queuedMs !== undefined) return run.queuedMs < 1000 ? NONE : <Took ms={run.queuedMs} />
  return run.status === 'queued' ? <Since at={run.submittedAt} /> : NONE
}

/** How long a run took, without the time in the queue. */
export function RanFor({ run }: { run: RunItem }) {
  if (run.ranMs !== undefined) return <Took ms={run.ranMs} />
  const isOver = run.finishedAt !== undefined
  return run.beganAt === undefined || isOver ? NONE : <Since at={run.beganAt} />
}

export function Took({ ms }: { ms: number }) {
  return <span class="figure">{formatDuration(ms)}</span>
}
