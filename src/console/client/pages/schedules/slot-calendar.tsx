import { reasonText } from '../../../../core/format/reason-text.ts'
import type { ScheduleItem, SlotItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { place, setQuery } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { dayOf, monthAfter, monthDays, periodOf } from '../../time/format-time.ts'
import { now } from '../../time/now.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { statusLook } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { chosenOf, ScheduleChoice } from './schedule-choice.tsx'

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const MOST_A_DAY = 4

/** Enough for a slot in each hour of a month and of the days around it. */
const MOST_SLOTS = 1100

/** The slots of one schedule in a month, in the time zone of the schedule. */
export function SlotCalendar({ schedules }: { schedules: readonly ScheduleItem[] }) {
  const chosen = chosenOf(schedules) ?? schedules[0]
  return chosen ? <Month schedules={schedules} chosen={chosen} /> : null
}

function Month({ schedules, chosen }: { schedules: readonly ScheduleItem[]; chosen: ScheduleItem }) {
  const { pipeline, trigger, cron, timezone, pausedSince } = chosen
  const wanted = place.value.query.get('month') ?? ''
  const today = dayOf(now.value, timezone)
  const month = /^\d{4}-\d{2}$/.test(wanted) ? wanted : today.slice(0, 7)
  const days = monthDays(month)
  const period = periodOf(days[0]?.day ?? today, days.at(-1)?.day ?? today, timezone)
  const read = useRead('slots.list', { pipeline, trigger, ...period, limit: MOST_SLOTS }, ofKind('runs', 'pipelines'))
  const monthText = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01`),
  )
  return (
    <>
      <div class="toolbar">
        <ScheduleChoice schedules={schedules} chosen={chosen} />
        <button type="button" onClick={() => setQuery({ month: monthAfter(month, -1) })}>
          Previous month
        </button>
        <strong aria-live="polite">{monthText}</strong>
        <button type="button" onClick={() => setQuery({ month: monthAfter(month, 1) })}>
          Next month
        </button>
        <span class="muted">
          <code>{cron}</code> in the time zone {timezone}
        </span>
      </div>
      {pausedSince !== undefined && (
        <Notice tone="wait" icon="person">
          <span>
            It has been paused since <Time at={pausedSince} withZone />: there are no slots until somebody resumes it.
          </span>
        </Notice>
      )}
      <Loaded read={read} rows={12}>
        {({ slots, hasOlder, coming, hasLater }) => {
          const comes = coming.map((slot) => ({ ...slot, outcome: 'coming' }))
          const byDay = Map.groupBy([...slots, ...comes], ({ at }) => dayOf(Date.parse(at), timezone))
          return (
            <>
              {hasOlder && (
                <Cut text="Older slots of this month are not shown: all slots before" at={slots.at(-1)?.at} />
              )}
              {hasLater && (
                <Cut text="Later slots of this month are not shown: all slots after" at={coming.at(-1)?.at} />
              )}
              <ol class="calendar">
                {WEEKDAYS.map((name) => (
                  <li key={name} class="weekday">
                    {name}
                  </li>
                ))}
                {days.map(({ day, isInside }) => (
                  <li key={day} class={`${isInside ? '' : 'outside'} ${day === today ? 'today' : ''}`}>
                    <span class="muted figure">{Number(day.slice(8))}</span>
                    <DaySlots slots={(byDay.get(day) ?? []).toSorted((a, b) => (a.at < b.at ? -1 : 1))} />
                  </li>
                ))}
              </ol>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

/** Says that there are more slots than the page asked for. */
function Cut({ text, at }: { text: string; at: string | undefined }) {
  return at === undefined ? null : (
    <p class="muted">
      {text} <Time at={at} withZone />
    </p>
  )
}

interface DaySlotsProps {
  slots: readonly (Pick<SlotItem, 'at' | 'local' | 'runId' | 'reason'> & { outcome: string })[]
}

function DaySlots({ slots }: DaySlotsProps) {
  return (
    <>
      {slots.slice(0, MOST_A_DAY).map(({ at, local = at, outcome, runId, reason }) => {
        const { icon, tone, text } = statusLook(outcome)
        const inside = (
          <>
            <Icon name={icon} /> {local.slice(11, 16)} <span class="hidden">{text}</span>
          </>
        )
        // A slot that was backfilled again is in the list twice.
        const key = `${at} ${runId ?? outcome}`
        const title = [local, text, reason && reasonText(reason)].filter(Boolean).join(', ')
        return runId === undefined ? (
          <span key={key} class={`slot ${tone}`} title={title}>
            {inside}
          </span>
        ) : (
          <a key={key} class={`slot ${tone}`} title={title} href={runAddress(runId)}>
            {inside}
          </a>
        )
      })}
      {slots.length > MOST_A_DAY && <small class="muted">and {slots.length - MOST_A_DAY} more</small>}
    </>
  )
}
