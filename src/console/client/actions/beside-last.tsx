import type { RunDetail } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { FigureTable } from '../pages/compare/figure-table.tsx'
import { Diff } from '../ui/diff.tsx'
import { Loaded } from '../ui/loaded.tsx'

/** The figures of a run beside those of the last good one, and what changed in the document. */
export function BesideLast({ detail: { run, lastRun, outputs } }: { readonly detail: RunDetail }) {
  const path = lastRun === undefined ? undefined : '/runs/{runId}/compare/{other}'
  const read = useRead(path, { runId: lastRun ?? '', other: run.runId })
  if (lastRun === undefined)
    return <p class="muted">There is no good run before this one{outputs ? '' : ', so nothing to compare it with'}.</p>
  return (
    <Loaded read={read}>
      {({ figures, document }) => (
        <>
          <FigureTable figures={figures} names={['Last good run', 'This run']} />
          {document.same ? (
            <p class="muted">Both ran the same document.</p>
          ) : (
            <details class="disclosure" open>
              <summary>The document changed since then</summary>
              <Diff lines={document.diff} label="From the last good run’s document to this one’s" />
            </details>
          )}
        </>
      )}
    </Loaded>
  )
}
