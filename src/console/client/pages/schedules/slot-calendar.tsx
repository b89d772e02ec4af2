import type { ComingSlot, Schedule, Slot } from '../../api/types.ts'
import { place, setQuery } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { dayOf } from '../../time/format-time.ts'
import { now } from '../../time/now.ts'
import { Select } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { lookOf } from '../../ui/status.tsx'
import { monthAfter, monthDays } from './month-days.ts'

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const MOST_A_DAY = 4

interface SlotCalendarProps {
  schedules: readonly Schedule[]
  slots: readonly Slot[]
  coming: readonly ComingSlot[]
}

/** The slots of one schedule as a month, by its own clock. */
export function SlotCalendar({ schedules, slots, coming }: SlotCalendarProps) {
  const { query } = place.value
  const chosen =
    schedules.find(({ pipeline, trigger }) => `${pipeline}/${trigger}` === query.get('schedule')) ?? schedules[0]
  if (!chosen) return null
  const today = dayOf(now.value, chosen.timezone)
  const month = /^\d{4}-\d{2}$/.test(query.get('month') ?? '') ? (query.get('month') ?? '') : today.slice(0, 7)
  const isOfChosen = ({ pipeline, trigger }: { readonly pipeline: string; readonly trigger: string }) =>
    pipeline === chosen.pipeline && trigger === chosen.trigger
  const shown = [
    ...slots.filter(isOfChosen),
    ...coming.filter(isOfChosen).map((slot) => ({ ...slot, state: 'coming' as const })),
  ]
  const byDay = Map.groupBy(shown, ({ at }) => dayOf(Date.parse(at), chosen.timezone))
  const monthText = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01`),
  )
  return (
    <>
      <div class="toolbar">
        <Select
          name="Schedule"
          value={`${chosen.pipeline}/${chosen.trigger}`}
          choices={schedules.map(({ pipeline, trigger }) => `${pipeline}/${trigger}`)}
          onChoice={(schedule) => setQuery({ schedule })}
        />
        <button type="button" onClick={() => setQuery({ month: monthAfter(month, -1) })}>
          Month before
        </button>
        <strong aria-live="polite">{monthText}</strong>
        <button type="button" onClick={() => setQuery({ month: monthAfter(month, 1) })}>
          Month after
        </button>
        <span class="muted">
          <code>{chosen.cron}</code> by the clock of {chosen.timezone}; five weeks back and ahead
        </span>
      </div>
      <ol class="calendar">
        {WEEKDAYS.map((name) => (
          <li key={name} class="weekday">
            {name}
          </li>
        ))}
        {monthDays(month).map(({ day, isInside }) => (
          <li key={day} class={`${isInside ? '' : 'outside'} ${day === today ? 'today' : ''}`}>
            <span class="muted figure">{Number(day.slice(8))}</span>
            <DaySlots slots={(byDay.get(day) ?? []).toSorted((a, b) => (a.at < b.at ? -1 : 1))} />
          </li>
        ))}
      </ol>
    </>
  )
}

interface DaySlotsProps {
  slots: readonly (Pick<Slot, 'at' | 'local' | 'runId' | 'reason'> & { readonly state: string })[]
}

function DaySlots({ slots }: DaySlotsProps) {
  return (
    <>
      {slots.slice(0, MOST_A_DAY).map(({ at, local = at, state, runId, reason }) => {
        const { icon, tone, text } = lookOf(state)
        const inside = (
          <>
            <Icon name={icon} /> {local.slice(11, 16)} <span class="hidden">{text}</span>
          </>
        )
        // A slot that was backfilled again is there twice.
        const key = `${at} ${runId ?? state}`
        const title = [local, text, reason].filter(Boolean).join(', ')
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
