import { useRead } from '../../api/use-read.ts'
import { place, setQuery } from '../../router/location.ts'
import { now } from '../../time/now.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ScheduleTable } from './schedule-table.tsx'
import { SlotCalendar } from './slot-calendar.tsx'
import { SlotTable } from './slot-table.tsx'

const VIEWS = [
  ['list', 'List'],
  ['calendar', 'Calendar'],
] as const
const DAY = 86_400_000
const AHEAD_DAYS = 35
const MOST_LISTED = 200

/** The schedules, what became of their slots, and what comes. */
export function SchedulesPage() {
  const { query } = place.value
  const view = query.get('view') === 'calendar' ? 'calendar' : 'list'
  const pipeline = query.get('pipeline') ?? ''
  const trigger = query.get('trigger') ?? ''
  const today = Math.floor(now.value / DAY) * DAY
  const dayFromToday = (days: number) => new Date(today + days * DAY).toISOString()
  const input = {
    from: dayFromToday(-AHEAD_DAYS),
    // The list shows no coming slots.
    ...(view === 'list' ? { to: dayFromToday(1), limit: MOST_LISTED } : { to: dayFromToday(AHEAD_DAYS), limit: 1000 }),
    ...(pipeline !== '' && { pipeline }),
    ...(trigger !== '' && { trigger }),
  }
  const read = useRead('/slots', input, ({ kind }) => kind === 'runs' || kind === 'pipelines')
  return (
    <Page title="Schedules" lead={pipeline !== '' && <Only what={[pipeline, trigger].filter(Boolean).join('/')} />}>
      <Tabs name="view" tabs={VIEWS} chosen={view} />
      <Loaded read={read} rows={8}>
        {({ schedules, slots, coming }) => {
          if (schedules.length === 0)
            return <Empty>No pipeline has a schedule. A document gets one with triggers.</Empty>
          if (view === 'calendar') return <SlotCalendar {...{ schedules, slots, coming }} />
          return (
            <>
              <Section title="Schedules" count={schedules.length}>
                <ScheduleTable schedules={schedules} reload={read.reload} />
              </Section>
              <Section title="Past slots">
                <SlotTable slots={slots} />
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function Only({ what }: { readonly what: string }) {
  return (
    <>
      <span>Only {what}</span>
      <button type="button" class="link" onClick={() => setQuery({ pipeline: '', trigger: '' })}>
        All schedules
      </button>
    </>
  )
}
