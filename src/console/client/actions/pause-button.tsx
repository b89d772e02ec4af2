import { openModal } from '../ui/modal.tsx'
import { PauseDialog } from './pause-dialog.tsx'

/** Pauses a trigger, or resumes one that is paused. It opens the dialog. */
export function PauseButton({
  trigger: { pipeline, trigger, pausedSince },
  reload,
}: {
  readonly trigger: { readonly pipeline: string; readonly trigger: string; readonly pausedSince?: string }
  readonly reload: () => void
}) {
  const kind = pausedSince === undefined ? 'pause' : 'resume'
  return (
    <button
      type="button"
      onClick={() => openModal((onClose) => <PauseDialog {...{ kind, pipeline, trigger, onClose }} done={reload} />)}
    >
      {kind === 'pause' ? 'Pause…' : 'Resume…'}
      <span class="hidden"> {`${pipeline} ${trigger}`}</span>
    </button>
  )
}
