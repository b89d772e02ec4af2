import { useSignal } from '@preact/signals'
import { BackfillDialog } from '../../actions/backfill-dialog.tsx'
import { PauseDialog } from '../../actions/pause-dialog.tsx'
import type { Schedule } from '../../api/types.ts'
import { PipelineLink } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { SlotState } from './slot-state.tsx'

type Act = { readonly kind: 'pause' | 'resume' | 'backfill'; readonly schedule: Schedule }

/** One line a schedule: its clock, its next and its last slot, and what can be done. */
export function ScheduleTable({
  schedules,
  reload,
}: {
  readonly schedules: readonly Schedule[]
  readonly reload: () => void
}) {
  const act = useSignal<Act | undefined>(undefined)
  const onClose = () => {
    act.value = undefined
  }
  const head = (
    <>
      <Head>Pipeline</Head>
      <Head>Schedule</Head>
      <TimeHead>Next slot</TimeHead>
      <Head>Last slot</Head>
      <Head>
        <span class="hidden">Actions</span>
      </Head>
    </>
  )
  return (
    <>
      <Table label="Schedules" head={head}>
        {schedules.map((schedule) => (
          <Row
            key={`${schedule.pipeline}/${schedule.trigger}`}
            schedule={schedule}
            onAct={(kind) => {
              act.value = { kind, schedule }
            }}
          />
        ))}
      </Table>
      {act.value?.kind === 'backfill' && <BackfillDialog {...act.value.schedule} done={reload} onClose={onClose} />}
      {act.value && act.value.kind !== 'backfill' && (
        <PauseDialog kind={act.value.kind} {...act.value.schedule} done={reload} onClose={onClose} />
      )}
    </>
  )
}

function Row({ schedule, onAct }: { readonly schedule: Schedule; readonly onAct: (kind: Act['kind']) => void }) {
  const { pipeline, trigger, cron, timezone, pausedSince, next, last, due } = schedule
  return (
    <tr>
      <td class="name">
        <PipelineLink name={pipeline} />
        <span class="under">{trigger}</span>
      </td>
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
            <button type="button" onClick={() => onAct(pausedSince === undefined ? 'pause' : 'resume')}>
              {pausedSince === undefined ? 'Pause…' : 'Resume…'}
              <span class="hidden"> {`${pipeline} ${trigger}`}</span>
            </button>
            <button type="button" onClick={() => onAct('backfill')}>
              Backfill…<span class="hidden"> {`${pipeline} ${trigger}`}</span>
            </button>
          </span>
        )}
      </td>
    </tr>
  )
}
