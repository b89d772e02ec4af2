import { post } from '../api/request.ts'
import type { System } from '../api/types.ts'
import { ActButton, type Reason } from '../ui/act-dialog.tsx'

/** Opens the dialog for draining a worker, or for ending the drain. */
export function DrainButton({ name, drainingSince }: System['workers'][number]) {
  const drain = async (reason: Reason) => {
    await post('workers.drain', { worker: name, ...reason })
    return `${name} takes no new runs`
  }
  const undrain = async (reason: Reason) => {
    await post('workers.undrain', { worker: name, ...reason })
    return `${name} takes runs again`
  }
  return drainingSince === undefined ? (
    <ActButton about={name} title={`Drain ${name}`} button="Drain" act={drain}>
      <p>
        It takes no new runs. It finishes its running steps, and runs that are only waiting go to other workers. Then
        its process ends.
      </p>
    </ActButton>
  ) : (
    <ActButton about={name} title={`Let ${name} take runs again`} button="Undo drain" act={undrain}>
      <p>It takes runs again. Runs that went to other workers stay there.</p>
    </ActButton>
  )
}
