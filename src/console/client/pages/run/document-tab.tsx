import { useRead } from '../../api/use-read.ts'
import { place } from '../../router/location.ts'
import { Diff } from '../../ui/diff.tsx'
import { DocumentText } from '../../ui/document-text.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { lastLineOf } from './last-line-of.ts'

/** The text that this run ran, with the chosen step marked; and what is different today. */
export function DocumentTab({ runId }: { readonly runId: string }) {
  const read = useRead('/runs/{runId}/document', { runId })
  const chosen = place.value.query.get('step')
  return (
    <Loaded read={read} rows={12}>
      {({ text, file, digest, steps, today }) => {
        const step = steps.find(({ id }) => id === chosen)
        return (
          <>
            <p class="muted break under-tabs">
              <code>{file}</code> as this run has it, {digest.slice(0, 12)}
            </p>
            {!today && (
              <Notice tone="quiet" icon="files">
                Today there is no document of this pipeline.
              </Notice>
            )}
            {today && today.diff.length > 0 && (
              <details class="disclosure">
                <summary>Today’s document differs</summary>
                <Diff lines={today.diff} label="From this run’s document to today’s" />
              </details>
            )}
            <DocumentText text={text} from={step?.line ?? 0} to={step ? lastLineOf(text, step.line) : 0} />
          </>
        )
      }}
    </Loaded>
  )
}
