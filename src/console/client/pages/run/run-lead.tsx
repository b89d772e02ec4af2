import type { RunDetail } from '../../api/types.ts'
import { PipelineLink } from '../../runs/run-link.tsx'
import { QueuedFor, RanFor } from '../../runs/run-times.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Status } from '../../ui/status.tsx'

/** Under the name of the pipeline: how the run goes, and its id. */
export function RunLead({ detail: { run } }: { readonly detail: RunDetail }) {
  const hasQueued = run.status === 'queued' || (run.queuedMs ?? 0) >= 1000
  return (
    <>
      <Status status={run.status} />
      {hasQueued && (
        <span>
          queued for <QueuedFor run={run} />
        </span>
      )}
      {run.beganAt !== undefined && (
        <span>
          ran for <RanFor run={run} />
        </span>
      )}
      <span>
        <code class="break">{run.runId}</code>
        <CopyButton text={run.runId} what="Run id" />
      </span>
      <span>
        All of <PipelineLink name={run.pipeline} />
      </span>
    </>
  )
}
