import { BackfillDialog } from '../../actions/backfill-dialog.tsx'
import { PauseButton } from '../../actions/pause-button.tsx'
import { WithdrawDialog } from '../../actions/withdraw-dialog.tsx'
import type { Schedule } from '../../api/types.ts'
import { TriggerCell } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { openModal } from '../../ui/modal.tsx'
import { ActionsHead, Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { SlotState } from './slot-state.tsx'

/** One line a schedule: its clock, its next and its last slot, and what can be done. */
export function ScheduleTable({
  schedules,
  reload,
}: {
  readonly schedules: readonly Schedule[]
  readonly reload: () => void
}) {
  const head = (
    <>
      <Head>Pipeline</Head>
      <Head>Schedule</Head>
      <TimeHead>Next slot</TimeHead>
      <Head>Last slot</Head>
      <ActionsHead />
    </>
  )
  return (
    <Table label="Schedules" head={head}>
      {schedules.map((schedule) => (
        <Row key={`${schedule.pipeline}/${schedule.trigger}`} schedule={schedule} reload={reload} />
      ))}
    </Table>
  )
}

function Row({ schedule, reload }: { readonly schedule: Schedule; readonly reload: () => void }) {
  const { pipeline, trigger, cron, timezone, pausedSince, next, last, due } = schedule
  return (
    <tr>
      <TriggerCell pipeline={pipeline} trigger={trigger} />
      <td class="text">
        <code>{cron}</code> <span class="muted">{timezone}</span>
        {due > 0 && <span class="under">{due} due, waiting for a run</span>}
      </td>
      <td>
        {pausedSince !== undefined ? (
          <>
            <span class="chip wait">paused</span>
            <span class="under">
              since <Time at={pausedSince} />
            </span>
          </>
        ) : next ? (
          <>
            <Time at={next.at} />
            <span class="under">{next.local}</span>
          </>
        ) : (
          <span class="muted">None</span>
        )}
      </td>
      <td>{last ? <SlotState slot={last} /> : <span class="muted">None yet</span>}</td>
      <td class="right">
        {may('operator') && (
          <span class="actions end">
            <PauseButton trigger={schedule} reload={reload} />
            <button
              type="button"
              onClick={() =>
                openModal((onClose) => <BackfillDialog {...{ pipeline, trigger, timezone, onClose }} done={reload} />)
              }
            >
              Backfill…<span class="hidden"> {`${pipeline} ${trigger}`}</span>
            </button>
            {due > 0 && (
              <button
                type="button"
                onClick={() =>
                  openModal((onClose) => <WithdrawDialog {...{ pipeline, trigger, timezone, onClose }} done={reload} />)
                }
              >
                Withdraw…<span class="hidden"> {`${pipeline} ${trigger}`}</span>
              </button>
            )}
          </span>
        )}
      </td>
    </tr>
  )
}
