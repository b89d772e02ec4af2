import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import type { ScheduleItem } from '../api/types.ts'
import { ActButton, type Reason } from '../ui/act-dialog.tsx'

type Trigger = Pick<ScheduleItem, 'pipeline' | 'trigger' | 'pausedSince'>

/** Opens the dialog for pausing or resuming a trigger. */
export function PauseButton({ pipeline, trigger, pausedSince }: Trigger) {
  const name = `${pipeline}/${trigger}`
  const about = `${pipeline} ${trigger}`
  const pause = async (reason: Reason) => {
    await post('schedules.pause', { pipeline, trigger, ...reason })
    return `${name} is paused`
  }
  const resume = async (reason: Reason) => {
    const { skipped } = await post('schedules.resume', { pipeline, trigger, ...reason })
    return `${name} continues; ${count(skipped, 'slot was', 'slots were')} skipped`
  }
  return pausedSince === undefined ? (
    <ActButton about={about} title={`Pause ${name}`} button="Pause" act={pause}>
      <p>
        Slots that come while it is paused are skipped, and files wait in their folder. Runs that are under way
        continue. It stays paused until somebody resumes it.
      </p>
    </ActButton>
  ) : (
    <ActButton about={about} title={`Resume ${name}`} button="Resume" act={resume}>
      <p>
        It continues with its next slot or file. Slots that passed in the meantime stay skipped; a backfill can run
        them.
      </p>
    </ActButton>
  )
}
