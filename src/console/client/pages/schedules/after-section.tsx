import { PauseButton } from '../../actions/pause-button.tsx'
import type { AfterItem, ScheduleItem } from '../../api/types.ts'
import { RunLink, TriggerName } from '../../runs/run-link.tsx'
import { actsColumn, type Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { triggerText } from '../pipelines/trigger-text.ts'
import { LastSlot, PausedSince } from './slot-state.tsx'

/**
 * Turns a trigger that starts runs after other pipelines into a schedule, so that the choice and the calendar can show
 * it. The trigger has no time zone, so the schedule gets UTC.
 */
export function asSchedule({ waiting: _, ...one }: AfterItem): ScheduleItem {
  return { ...one, cron: triggerText({ ...one, kind: 'after' }), timezone: 'UTC' }
}

/** Triggers that start runs after other pipelines: what each one waits for, and its last outcome. */
export const AFTER: readonly Column<AfterItem>[] = [
  ['Pipeline', (one) => <TriggerName {...one} />, 'name'],
  ['Starts', (one) => triggerText({ ...one, kind: 'after' }), 'text'],
  ['Waiting', (one) => <Waiting after={one} />, 'text'],
  ['Last', ({ last }) => <LastSlot last={last} />],
  actsColumn((one) => <PauseButton {...one} />),
]

function Waiting({ after: { pausedSince, waiting } }: { after: AfterItem }) {
  if (pausedSince !== undefined) return <PausedSince at={pausedSince} />
  if (waiting.length === 0) return <span class="muted">For nothing</span>
  return waiting.map(({ runs, lacking, until }) => (
    <span key={runs[0]?.runId} class="under">
      for {lacking.join(', ')} until <Time at={until} />, after{' '}
      {runs.map(({ pipeline, runId }) => (
        <span key={runId}>
          {pipeline} <RunLink runId={runId} />{' '}
        </span>
      ))}
    </span>
  ))
}
