import { post } from '../api/request.ts'
import type { System } from '../api/types.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { DialogButton } from '../ui/modal.tsx'

type Worker = System['workers'][number]

/** Opens the dialog for draining a worker, or for undoing that. */
export function DrainButton({ worker, reload }: { worker: Worker; reload: () => void }) {
  const { name, drainingSince } = worker
  const Dialog = drainingSince === undefined ? DrainDialog : UndrainDialog
  return (
    <DialogButton
      text={drainingSince === undefined ? 'Drain…' : 'Undo drain…'}
      about={name}
      dialog={() => <Dialog {...worker} />}
      done={reload}
    />
  )
}

function DrainDialog({ name }: Worker) {
  const act = async (reason: Reason) => {
    await post('/workers/{worker}/drain', { worker: name, ...reason })
    return `${name} takes no new runs`
  }
  return (
    <ActDialog title={`Drain ${name}`} button="Drain" act={act}>
      <p>
        It takes no new runs. Its running steps end there, and runs that only wait go to other workers. Then its process
        ends.
      </p>
    </ActDialog>
  )
}

function UndrainDialog({ name }: Worker) {
  const act = async (reason: Reason) => {
    await post('/workers/{worker}/undrain', { worker: name, ...reason })
    return `${name} takes runs again`
  }
  return (
    <ActDialog title={`Let ${name} take runs again`} button="Undo drain" act={act}>
      <p>It takes runs again. Runs that it gave away stay where they are.</p>
    </ActDialog>
  )
}
