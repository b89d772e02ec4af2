import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { post } from '../api/request.ts'
import type { PostAnswer } from '../api/types.ts'
import { countText } from '../format/numbers.ts'
import { now } from '../time/now.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import { Problem } from '../ui/notice.tsx'
import type { TriggerActProps } from './act-props.ts'
import { SlotTimes } from './slot-times.tsx'

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
  const preview = useSignal<PostAnswer<'/schedules/{pipeline}/{trigger}/withdraw'> | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  // Slots that have not come yet are never due.
  const input = { pipeline, trigger, from: BEGINNING, to: useMemo(() => new Date(now.peek()).toISOString(), []) }
  useEffect(() => {
    post('/schedules/{pipeline}/{trigger}/withdraw', { ...input, dryRun: true }).then(
      (answer) => {
        preview.value = answer
      },
      (failure: unknown) => {
        error.value = asApiError(failure)
      },
    )
  }, [])
  const count = preview.value?.count ?? 0
  const act = async (reason: { readonly reason?: string }) => {
    const withdrawn = await post('/schedules/{pipeline}/{trigger}/withdraw', { ...input, ...reason })
    return `${countText(withdrawn.count, 'slot')} of ${pipeline}/${trigger} will not run`
  }
  const button = count > 0 ? `Skip ${countText(count, 'slot')}` : 'Skip the slots'
  return (
    <ActDialog title={`Withdraw slots of ${pipeline}/${trigger}`} {...{ button, act, done, onClose }} ready={count > 0}>
      <p>The slots that are due and have no run yet will be skipped. Runs that have begun go on.</p>
      {error.value && <Problem error={error.value} />}
      <div aria-live="polite">
        {preview.value && (
          <>
            <p>
              <strong>{countText(count, 'slot')}</strong> will not run.
            </p>
            <SlotTimes slots={preview.value.slots} count={count} timezone={timezone} />
          </>
        )}
      </div>
    </ActDialog>
  )
}
