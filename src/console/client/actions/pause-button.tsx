import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { DialogButton } from '../ui/modal.tsx'

interface Trigger {
  readonly pipeline: string
  readonly trigger: string
  readonly pausedSince?: string
}

/** Opens the dialog for pausing or resuming a trigger. */
export function PauseButton({ trigger, reload }: { trigger: Trigger; reload: () => void }) {
  const Dialog = trigger.pausedSince === undefined ? PauseDialog : ResumeDialog
  return (
    <DialogButton
      text={trigger.pausedSince === undefined ? 'Pause…' : 'Resume…'}
      about={`${trigger.pipeline} ${trigger.trigger}`}
      dialog={() => <Dialog {...trigger} />}
      done={reload}
    />
  )
}

function PauseDialog({ pipeline, trigger }: Trigger) {
  const act = async (reason: Reason) => {
    await post('/schedules/{pipeline}/{trigger}/pause', { pipeline, trigger, ...reason })
    return `${pipeline}/${trigger} is paused`
  }
  return (
    <ActDialog title={`Pause ${pipeline}/${trigger}`} button="Pause" act={act}>
      <p>
        Slots that come while it is paused are skipped, and files wait in their folder. Runs that are under way go on.
        It stays paused until somebody resumes it.
      </p>
    </ActDialog>
  )
}

function ResumeDialog({ pipeline, trigger }: Trigger) {
  const act = async (reason: Reason) => {
    const { skipped } = await post('/schedules/{pipeline}/{trigger}/resume', { pipeline, trigger, ...reason })
    return `${pipeline}/${trigger} goes on; ${count(skipped, 'slot was', 'slots were')} skipped`
  }
  return (
    <ActDialog title={`Resume ${pipeline}/${trigger}`} button="Resume" act={act}>
      <p>It goes on with its next slot or file. Slots that passed meanwhile stay skipped; a backfill runs them.</p>
    </ActDialog>
  )
}
