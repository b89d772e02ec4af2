import { startParts } from '../../../core/format/start-text.ts'
import type { Run } from '../api/types.ts'
import { capitalised } from '../format/words.ts'
import { runAddress, shortId } from './run-link.tsx'

/** What started a run, in the same words as on the command line: a slot, a file, another run or a person. */
export function StartedBy({ run }: { run: Run }) {
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
