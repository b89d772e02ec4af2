import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import type { TriggerActProps } from './act-props.ts'

/** Pausing a trigger, or letting it go on; with what becomes of its slots or files. */
export function PauseDialog({
  kind,
  pipeline,
  trigger,
  done,
  onClose,
}: TriggerActProps & {
  readonly kind: 'pause' | 'resume'
}) {
  const act = async (reason: { readonly reason?: string }) => {
    if (kind === 'pause') {
      await post('/schedules/{pipeline}/{trigger}/pause', { pipeline, trigger, ...reason })
      return `${pipeline}/${trigger} is paused`
    }
    const { skipped } = await post('/schedules/{pipeline}/{trigger}/resume', { pipeline, trigger, ...reason })
    return `${pipeline}/${trigger} goes on; ${count(skipped, 'slot was', 'slots were')} skipped`
  }
  const title = `${kind === 'pause' ? 'Pause' : 'Resume'} ${pipeline}/${trigger}`
  return (
    <ActDialog title={title} button={kind === 'pause' ? 'Pause' : 'Resume'} {...{ act, done, onClose }}>
      {kind === 'pause' ? (
        <p>
          Slots that come while it is paused are skipped, and files wait in their folder. Runs that are under way go on.
          It stays paused until somebody resumes it.
        </p>
      ) : (
        <p>It goes on with its next slot or file. Slots that passed meanwhile stay skipped; a backfill runs them.</p>
      )}
    </ActDialog>
  )
}
