import { post } from '../../api/request.ts'
import type { ServiceClock } from '../../api/types.ts'
import { ActDialog } from '../../ui/act-dialog.tsx'
import { Time } from '../../ui/time.tsx'

/** Letting the clock of the service stand still, or go on. */
export function StandDialog({
  clock: { now, frozen },
  done,
  onClose,
}: {
  readonly clock: ServiceClock
  readonly done: () => void
  readonly onClose: () => void
}) {
  const act = async (reason: { readonly reason?: string }) => {
    const after = await post('/service/clock', { act: frozen ? 'thaw' : 'freeze', ...reason })
    return after.frozen ? 'The clock of the service stands still' : 'The clock of the service goes on'
  }
  const title = frozen ? 'Let the clock of the service go on' : 'Let the clock of the service stand still'
  return (
    <ActDialog title={title} button={frozen ? 'Let it go on' : 'Let it stand still'} {...{ act, done, onClose }}>
      {frozen ? (
        <p>
          It goes on from <Time at={now} withZone />, so it stays behind or ahead of this machine. Jobs move on by
          themselves again.
        </p>
      ) : (
        <p>
          No job moves on by itself, and runs that wait for one go on waiting, until the clock goes on or is advanced. A
          restart does not change that. The clock of this machine, and with it schedules, is not touched.
        </p>
      )}
    </ActDialog>
  )
}
