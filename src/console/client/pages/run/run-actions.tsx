import { useSignal } from '@preact/signals'
import { CancelDialog } from '../../actions/cancel-dialog.tsx'
import { RetryDialog } from '../../actions/retry-dialog.tsx'
import type { RunDetail } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { may } from '../../shell/me.ts'

/** What an operator can do with a run as a whole. */
export function RunActions({ detail, reload }: { readonly detail: RunDetail; readonly reload: () => void }) {
  const open = useSignal<'cancel' | 'retry' | undefined>(undefined)
  if (!may('operator')) return null
  const close = () => {
    open.value = undefined
  }
  const show = (which: 'cancel' | 'retry') => () => {
    open.value = which
  }
  const isOver = detail.run.finishedAt !== undefined
  return (
    <>
      {isOver ? (
        <button type="button" onClick={show('retry')}>
          Retry…
        </button>
      ) : (
        <button type="button" onClick={show('cancel')}>
          Cancel run…
        </button>
      )}
      <a
        class="button"
        href={to(`/pipelines/${encodeURIComponent(detail.run.pipeline)}/run`, { of: detail.run.runId })}
      >
        Run again…
      </a>
      {open.value === 'cancel' && <CancelDialog detail={detail} onClose={close} done={reload} />}
      {open.value === 'retry' && <RetryDialog detail={detail} onClose={close} />}
    </>
  )
}
