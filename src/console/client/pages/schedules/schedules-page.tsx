import { PauseButton } from '../../actions/pause-button.tsx'
import { BackfillDialog, WithdrawDialog } from '../../actions/slot-dialogs.tsx'
import type { AfterItem, RemovedScheduleItem, ScheduleItem, SlotItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { place } from '../../router/location.ts'
import { RunLink, TriggerLine, TriggerName, triggerKey } from '../../runs/run-link.tsx'
import { now } from '../../time/now.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { actsColumn, type Column, InZone, Rows, RowsSection } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { OwnClock, Time } from '../../ui/time.tsx'
import { triggerText } from '../pipelines/trigger-text.ts'
import { chosenTrigger, OnlyTrigger } from './only-trigger.tsx'
import { chosenOf, ScheduleChoice } from './schedule-choice.tsx'
import { SlotCalendar } from './slot-calendar.tsx'
import { LastSlot, PausedSince, SlotState } from './slot-state.tsx'

const VIEWS = [
  ['list', 'List'],
  ['calendar', 'Calendar'],
] as const
const DAY = 86_400_000
const BACK_DAYS = 35
const MOST_LISTED = 200

/** The schedules, the outcomes of their slots, and the upcoming slots. */
export function SchedulesPage() {
  const view = place.value.query.get('view') === 'calendar' ? 'calendar' : 'list'
  // Reads only the schedules. Their slots are read separately.
  const read = useRead('slots.list', { ...chosenTrigger(), to: dayFromToday(1), limit: 1 }, ofKind('runs', 'pipelines'))
  return (
    <Page title="Schedules" lead={<OnlyTrigger all="All schedules" />}>
      <Tabs name="view" tabs={VIEWS} chosen={view} />
      <Loaded read={read} rows={8}>
        {({ schedules, after, removed }) => {
          const all = [...schedules, ...after.map(asSchedule)]
          if (all.length + removed.length === 0)
            return <Empty>No pipeline has a schedule. Add one under triggers in a document.</Empty>
          if (view === 'calendar') return <SlotCalendar schedules={all} />
          return (
            <>
              <RowsSection title="Schedules" rows={schedules} columns={SCHEDULES} keyOf={triggerKey} />
              {/* They are no longer in any document but still have slots that are due. */}
              <RowsSection title="Removed schedules" rows={removed} columns={REMOVED} keyOf={triggerKey} />
              <RowsSection title="After other pipelines" rows={after} columns={AFTER} keyOf={triggerKey} />
              <PastSlots schedules={all} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

/**
 * The past slots of all schedules, or only of the chosen one. The slots of the chosen one are read alone, because
 * busier schedules could push them out of the list.
 */
function PastSlots({ schedules }: { schedules: readonly ScheduleItem[] }) {
  const chosen = chosenOf(schedules)
  const { pipeline, trigger } = chosen ?? chosenTrigger()
  const input = { pipeline, trigger, from: dayFromToday(-BACK_DAYS), to: dayFromToday(1), limit: MOST_LISTED }
  const read = useRead('slots.list', input, ofKind('runs', 'pipelines'))
  return (
    <Section
      title="Past slots"
      aside={schedules.length > 1 && <ScheduleChoice schedules={schedules} chosen={chosen} all />}
    >
      <Loaded read={read} rows={6}>
        {({ slots, hasOlder }) => (
          <>
            <Rows
              label="Past slots"
              rows={slots}
              columns={SLOTS}
              keyOf={(slot) => `${slot.pipeline}/${slot.trigger}/${slot.key}`}
              empty="There were no slots in the last five weeks."
              dense
            />
            {hasOlder && (
              <p class="muted after-table">
                Only the newest {MOST_LISTED} are shown.{' '}
                {chosen || schedules.length < 2
                  ? 'The calendar shows older slots.'
                  : 'Choose a schedule to see more of its slots.'}
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function dayFromToday(days: number): string {
  return new Date(Math.floor(now.value / DAY) * DAY + days * DAY).toISOString()
}

const SCHEDULES: readonly Column<ScheduleItem>[] = [
  ['Pipeline', (schedule) => <TriggerName {...schedule} />, 'name'],
  [
    'Schedule',
    ({ cron, timezone, due }) => (
      <>
        <code>{cron}</code> <span class="muted">{timezone}</span>
        {due > 0 && <span class="under">{due} due, waiting for a run</span>}
      </>
    ),
    'text',
  ],
  [<InZone text="Next slot" />, (schedule) => <NextSlot schedule={schedule} />],
  ['Last slot', ({ last }) => <LastSlot last={last} />],
  actsColumn((schedule) => <ScheduleActs schedule={schedule} />),
]

const REMOVED: readonly Column<RemovedScheduleItem>[] = [
  [
    'Pipeline',
    // Not a link, because the pipeline may be gone, too.
    ({ pipeline, trigger }) => (
      <>
        <bdi>{pipeline}</bdi>
        <span class="under">{trigger}</span>
      </>
    ),
    'name',
  ],
  ['Due slots', ({ message }) => message, 'text'],
  ['First', ({ firstAt }) => <Time at={firstAt} />],
  ['Last', ({ lastAt }) => <Time at={lastAt} />],
  actsColumn(({ pipeline, trigger }) => (
    <DialogButton
      text="Withdraw…"
      about={`${pipeline} ${trigger}`}
      // The time zone is gone with the document.
      dialog={() => <WithdrawDialog schedule={{ pipeline, trigger, timezone: 'UTC' }} />}
    />
  )),
]

function NextSlot({ schedule: { pausedSince, next } }: { schedule: ScheduleItem }) {
  if (pausedSince !== undefined) return <PausedSince at={pausedSince} />
  if (!next) return <span class="muted">None</span>
  return (
    <>
      <Time at={next.at} />
      <span class="under figure">{next.local}</span>
    </>
  )
}

function ScheduleActs({ schedule }: { schedule: ScheduleItem }) {
  const about = `${schedule.pipeline} ${schedule.trigger}`
  return (
    <span class="actions end">
      <PauseButton {...schedule} />
      <DialogButton about={about} text="Backfill…" dialog={() => <BackfillDialog schedule={schedule} />} />
      {schedule.due > 0 && (
        <DialogButton about={about} text="Withdraw…" dialog={() => <WithdrawDialog schedule={schedule} />} />
      )}
    </span>
  )
}

const SLOTS: readonly Column<SlotItem>[] = [
  [<InZone text="Slot" />, ({ at }) => <Time at={at} />],
  ['In its time zone', ({ local, timezone }) => <OwnClock local={local} timezone={timezone} />, 'text'],
  ['Pipeline', (slot) => <TriggerLine {...slot} />, 'name'],
  ['Outcome', (slot) => <SlotState slot={slot} />, 'text'],
]

/**
 * Turns a trigger that starts runs after other pipelines into a schedule, so that the choice and the calendar can show
 * it. The trigger has no time zone, so the schedule gets UTC.
 */
function asSchedule({ waiting: _, ...one }: AfterItem): ScheduleItem {
  return { ...one, cron: triggerText({ ...one, kind: 'after' }), timezone: 'UTC' }
}

/** Triggers that start runs after other pipelines: what each one waits for, and its last outcome. */
const AFTER: readonly Column<AfterItem>[] = [
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
