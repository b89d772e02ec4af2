import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { count, grouped } from '../../../core/format/figures.ts'
import type { ApiAnswerOf, ApiInputOf } from '../../api/operations.ts'
import { asCallError, type CallError } from '../api/call-error.ts'
import { post } from '../api/request.ts'
import type { ScheduleItem } from '../api/types.ts'
import { dayOf, periodOf, timeText, zoneOffsetText } from '../time/format-time.ts'
import { now } from '../time/now.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { bound, CheckField, Field } from '../ui/fields.tsx'
import { Notice, ProblemNotice } from '../ui/notice.tsx'

/** If there are at least this many slots, a person must type their number. */
const TYPED_FROM = 51
const BEGINNING = '1970-01-01T00:00:00Z'
const SHOWN = 12

interface SlotDialogProps {
  schedule: Pick<ScheduleItem, 'pipeline' | 'trigger' | 'timezone'>
}

/** The dialog for running the slots of a period. It lists the slots before anything becomes due. */
export function BackfillDialog({ schedule: { pipeline, trigger, timezone } }: SlotDialogProps) {
  const today = dayOf(now.peek(), timezone)
  const from = useSignal(today)
  const to = useSignal(today)
  const onlyMissing = useSignal(true)
  const typed = useSignal('')
  const isPeriod = from.value !== '' && to.value !== '' && from.value <= to.value
  const period = isPeriod ? periodOf(from.value, to.value, timezone) : { from: '', to: '' }
  const input = { pipeline, trigger, ...period, onlyMissing: onlyMissing.value }
  const preview = usePreview('schedules.backfill', isPeriod ? input : undefined)
  const total = preview.answer?.count ?? 0
  const act = async (reason: Reason) => {
    const made = await post('schedules.backfill', { ...input, ...reason })
    const taken = made.taken > 0 ? `; another process took ${count(made.taken, 'slot')} at the same moment` : ''
    return `${count(made.count, 'slot is', 'slots are')} due now${taken}`
  }
  const ready = total > 0 && (total < TYPED_FROM || typed.value.trim() === String(total))
  const button = total > 0 ? `Run ${count(total, 'slot')}` : 'Run the slots'
  return (
    <ActDialog title={`Backfill ${pipeline}/${trigger}`} button={button} act={act} ready={ready}>
      <p class="muted">Days in the time zone {timezone}; both are included.</p>
      <div class="toolbar">
        <Field label="From" type="date" {...bound(from)} max={to.value} required />
        <Field label="To" type="date" {...bound(to)} min={from.value} required />
      </div>
      <CheckField value={onlyMissing}>Only slots without a run</CheckField>
      {!isPeriod && (
        <Notice tone="wait" icon="warning">
          The first day must not be after the last one.
        </Notice>
      )}
      <SlotList preview={preview} timezone={timezone}>
        would become due{preview.answer && leftOut(preview.answer)}.
      </SlotList>
      {total >= TYPED_FROM && (
        <Field label={`That is a large number. Type ${total} to continue`} {...bound(typed)} inputMode="numeric" />
      )}
    </ActDialog>
  )
}

function leftOut({ waiting, ran, excluded }: ApiAnswerOf<'schedules.backfill'>): string {
  const others = [
    waiting > 0 && `${waiting} already due`,
    ran > 0 && `${ran} with a run`,
    excluded > 0 && `${excluded} on excluded days`,
  ].filter(Boolean)
  return others.length > 0 ? `; left out: ${others.join(', ')}` : ''
}

/** The dialog for undoing a backfill. It skips the slots of a schedule that are due and have no run yet. */
export function WithdrawDialog({ schedule: { pipeline, trigger, timezone } }: SlotDialogProps) {
  // A slot in the future is never due.
  const input = { pipeline, trigger, from: BEGINNING, to: useMemo(() => new Date(now.peek()).toISOString(), []) }
  const preview = usePreview('schedules.withdraw', input)
  const total = preview.answer?.count ?? 0
  const act = async (reason: Reason) => {
    const withdrawn = await post('schedules.withdraw', { ...input, ...reason })
    return `${count(withdrawn.count, 'slot')} of ${pipeline}/${trigger} will not run`
  }
  const button = total > 0 ? `Skip ${count(total, 'slot')}` : 'Skip the slots'
  return (
    <ActDialog title={`Withdraw slots of ${pipeline}/${trigger}`} button={button} act={act} ready={total > 0}>
      <p>The slots that are due and have no run yet will be skipped. Runs that have begun continue.</p>
      <SlotList preview={preview} timezone={timezone}>
        will not run.
      </SlotList>
    </ActDialog>
  )
}

interface SlotListProps {
  preview: Preview<SlotAct>
  timezone: string
  /** What will happen to the slots. */
  children: ComponentChildren
}

/**
 * Shows how many slots there are, and the first ones in the time zone of the schedule. If the request failed, shows the
 * error.
 */
function SlotList({ preview: { answer, error }, timezone, children }: SlotListProps) {
  return (
    <>
      {error && <ProblemNotice error={error} />}
      <div aria-live="polite">
        {answer && (
          <>
            <p>
              <strong>{count(answer.count, 'slot')}</strong> {children}
            </p>
            <ul class="history figure">
              {answer.slots.slice(0, SHOWN).map((at) => (
                <li key={at}>
                  {timeText(Date.parse(at), timezone, Date.now())} {zoneOffsetText(Date.parse(at), timezone)}
                </li>
              ))}
              {answer.count > SHOWN && <li>and {grouped(answer.count - SHOWN)} more</li>}
            </ul>
          </>
        )}
      </div>
    </>
  )
}

type SlotAct = 'schedules.backfill' | 'schedules.withdraw'

interface Preview<Id extends SlotAct> {
  readonly answer?: ApiAnswerOf<Id>
  readonly error?: CallError
}

/** Asks the server what an action on the slots of a schedule would do. Sends no request while there is no input. */
function usePreview<Id extends SlotAct>(id: Id, input: ApiInputOf<Id> | undefined): Preview<Id> {
  const preview = useSignal<Preview<Id>>({})
  useEffect(() => {
    let isCurrent = true
    const show = (shown: Preview<Id>) => {
      if (isCurrent) preview.value = shown
    }
    show({})
    if (input)
      post(id, { ...input, dryRun: true }).then(
        (answer) => show({ answer }),
        (failure: unknown) => show({ error: asCallError(failure) }),
      )
    return () => {
      isCurrent = false
    }
  }, [JSON.stringify(input)])
  return preview.value
}
