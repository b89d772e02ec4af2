import { useSignal } from '@preact/signals'
import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import { dayOf, periodOf } from '../time/format-time.ts'
import { now } from '../time/now.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import { Notice, Problem } from '../ui/notice.tsx'
import type { TriggerActProps } from './act-props.ts'
import { SlotPreview } from './slot-preview.tsx'
import { usePreview } from './use-preview.ts'

/** With this many slots or more, a person types their number. */
const TYPED_FROM = 51
const PATH = '/schedules/{pipeline}/{trigger}/backfill'

/** Running the slots of a period: the dialog lists them before anything becomes due. */
export function BackfillDialog({
  pipeline,
  trigger,
  timezone,
  done,
  onClose,
}: TriggerActProps & {
  readonly timezone: string
}) {
  const today = dayOf(now.peek(), timezone)
  const from = useSignal(today)
  const to = useSignal(today)
  const onlyMissing = useSignal(true)
  const typed = useSignal('')
  const isPeriod = from.value !== '' && to.value !== '' && from.value <= to.value
  const input = {
    pipeline,
    trigger,
    ...(isPeriod ? periodOf(from.value, to.value, timezone) : { from: '', to: '' }),
    onlyMissing: onlyMissing.value,
  }
  const { answer, error } = usePreview(PATH, isPeriod ? input : undefined)
  const total = answer?.count ?? 0
  const act = async (reason: { readonly reason?: string }) => {
    const made = await post(PATH, { ...input, ...reason })
    return `${count(made.count, 'slot is', 'slots are')} due now`
  }
  const ready = total > 0 && (total < TYPED_FROM || typed.value.trim() === String(total))
  const button = total > 0 ? `Run ${count(total, 'slot')}` : 'Run the slots'
  return (
    <ActDialog title={`Backfill ${pipeline}/${trigger}`} {...{ button, act, done, onClose, ready }}>
      <p class="muted">Days by the clock of {timezone}; both are included.</p>
      <div class="toolbar">
        <label class="field">
          From
          <input
            type="date"
            value={from}
            max={to}
            required
            onInput={({ currentTarget }) => (from.value = currentTarget.value)}
          />
        </label>
        <label class="field">
          To
          <input
            type="date"
            value={to}
            min={from}
            required
            onInput={({ currentTarget }) => (to.value = currentTarget.value)}
          />
        </label>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={onlyMissing}
          onChange={({ currentTarget }) => (onlyMissing.value = currentTarget.checked)}
        />
        Only slots without a run
      </label>
      {!isPeriod && (
        <Notice tone="wait" icon="warning">
          The first day must not be after the last one.
        </Notice>
      )}
      {error && <Problem error={error} />}
      <div aria-live="polite">{answer && <SlotPreview preview={answer} timezone={timezone} />}</div>
      {total >= TYPED_FROM && (
        <label class="field">
          That is a lot. Type {total} to go on
          <input
            value={typed}
            inputMode="numeric"
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        </label>
      )}
    </ActDialog>
  )
}
