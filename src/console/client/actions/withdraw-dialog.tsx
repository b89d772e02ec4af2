import { useMemo } from 'preact/hooks'
import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import { now } from '../time/now.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import { Problem } from '../ui/notice.tsx'
import type { TriggerActProps } from './act-props.ts'
import { SlotTimes } from './slot-times.tsx'
import { usePreview } from './use-preview.ts'

const PATH = '/schedules/{pipeline}/{trigger}/withdraw'
const BEGINNING = '1970-01-01T00:00:00Z'

/** Undoing a backfill: the slots of a schedule that are due and have no run yet are skipped. */
export function WithdrawDialog({
  pipeline,
  trigger,
  timezone,
  done,
  onClose,
}: TriggerActProps & {
  readonly timezone: string
}) {
  // Slots that have not come yet are never due.
  const input = { pipeline, trigger, from: BEGINNING, to: useMemo(() => new Date(now.peek()).toISOString(), []) }
  const { answer, error } = usePreview(PATH, input)
  const total = answer?.count ?? 0
  const act = async (reason: { readonly reason?: string }) => {
    const withdrawn = await post(PATH, { ...input, ...reason })
    return `${count(withdrawn.count, 'slot')} of ${pipeline}/${trigger} will not run`
  }
  const button = total > 0 ? `Skip ${count(total, 'slot')}` : 'Skip the slots'
  return (
    <ActDialog title={`Withdraw slots of ${pipeline}/${trigger}`} {...{ button, act, done, onClose }} ready={total > 0}>
      <p>The slots that are due and have no run yet will be skipped. Runs that have begun go on.</p>
      {error && <Problem error={error} />}
      <div aria-live="polite">
        {answer && (
          <>
            <p>
              <strong>{count(total, 'slot')}</strong> will not run.
            </p>
            <SlotTimes slots={answer.slots} count={total} timezone={timezone} />
          </>
        )}
      </div>
    </ActDialog>
  )
}
