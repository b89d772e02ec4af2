import { useMemo } from 'preact/hooks'
import { count, formatNumber } from '../../../../core/format/figures.ts'
import { partnerText } from '../../../../core/format/partner-text.ts'
import { FINAL_STATUSES } from '../../../../core/format/statuses.ts'
import type { ComingSlotItem, Overview } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { DayBars } from '../../charts/day-bars.tsx'
import { runsByDay } from '../../charts/runs-by-day.ts'
import { ofKind } from '../../live/changes.ts'
import { to } from '../../router/location.ts'
import { BlockedSteps } from '../../runs/blocked-steps.tsx'
import { WhatIsWrong } from '../../runs/broken-document.tsx'
import { PipelineLink, runAddress, TriggerLine, TriggerName, triggerKey } from '../../runs/run-link.tsx'
import { RunTable } from '../../runs/run-table.tsx'
import { overview } from '../../shell/overview.ts'
import { dayOf, lastDays, startOfDay } from '../../time/format-time.ts'
import { now } from '../../time/now.ts'
import { zone } from '../../time/zone.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { statusLook } from '../../ui/status.tsx'
import { type Column, InZone, Rows, RowsSection } from '../../ui/table.tsx'
import { OwnClock, Since, Time, Until } from '../../ui/time.tsx'
import { FILTER_STATUSES } from '../runs/run-list-filter.ts'
import { FailureGroups } from './failure-groups.tsx'
import { NeedsYou } from './needs-you.tsx'

/** Shows first what needs attention from a person, then how the runs are going. */
export function HomePage() {
  return (
    <Page title="Needs you">
      <Loaded read={overview.value} rows={8}>
        {(shown) => (
          <>
            <WhatIsWrong checks={shown.notReady} problems={shown.problems} />
            <NeedsYou items={shown.needsYou} />
            <Counts counts={shown.counts} />
            <Section title="Under way" count={shown.underWay.length}>
              <RunTable runs={shown.underWay} label="Runs under way" empty="Nothing is running." />
            </Section>
            <RowsSection
              title="Waits for a partner"
              label="Steps that are waiting for a partner"
              rows={shown.partnerWaits}
              columns={WAITS}
              keyOf={({ runId, ref }) => `${runId} ${ref}`}
            />
            {shown.blocked.length > 0 && (
              <Section title="Waits for another step" count={shown.blocked.length}>
                <BlockedSteps steps={shown.blocked} withRun />
              </Section>
            )}
            <FailureGroups groups={shown.failureGroups} failed={shown.counts.failed} />
            {shown.partial.length > 0 && (
              <Section
                title="Succeeded in part in the last 24 hours"
                count={shown.counts.succeededInPart}
                aside={<a href={to('/runs', { partial: 'true' })}>All of them</a>}
              >
                <RunTable runs={shown.partial} label="Runs that succeeded in part" />
              </Section>
            )}
            <NextSlots next={shown.next} paused={shown.paused} due={shown.due} />
          </>
        )}
      </Loaded>
      <RunsByDay />
    </Page>
  )
}

/** The number of runs with each status, as links to these runs. Runs that have ended count only for 24 hours. */
function Counts({ counts }: { counts: Overview['counts'] }) {
  return (
    <section class="section" aria-label="Counts of runs">
      <div class="tiles">
        {FILTER_STATUSES.map((status) => {
          const { icon, tone, short } = statusLook(status)
          const isOver = FINAL_STATUSES.some((one) => one === status)
          return (
            <a key={status} href={to('/runs', { status })}>
              <strong class={counts[status] > 0 ? tone : 'muted'}>{formatNumber(counts[status])}</strong>
              <span class="status">
                <Icon name={icon} />
                {short}
              </span>
              <small class="muted">{isOver ? '24 hours' : 'now'}</small>
            </a>
          )
        })}
      </div>
    </section>
  )
}

/** The steps that are waiting for an answer from another participant, in active runs and in their child runs. */
const WAITS: readonly Column<Overview['partnerWaits'][number]>[] = [
  [
    'Step',
    ({ runId, ref, counterpart }) => (
      <>
        <a href={runAddress(runId, { ref })} data-row title={runId}>
          <bdi>{ref}</bdi>
        </a>
        <span class="under wait">{partnerText({ counterpart })}</span>
      </>
    ),
    'name',
  ],
  ['Pipeline', ({ pipeline }) => <PipelineLink name={pipeline} />],
  [<InZone text="Since" />, ({ since }) => <Time at={since} />],
  ['For', ({ since }) => <Since at={since} />, 'right'],
]

const NEXT: readonly Column<ComingSlotItem>[] = [
  ['Pipeline', (slot) => <TriggerName {...slot} />, 'name'],
  [<InZone text="Next slot" />, ({ at }) => <Time at={at} />],
  ['In its time zone', (slot) => <OwnClock {...slot} />, 'text'],
  ['In', ({ startsAt }) => <Until at={startsAt} />, 'right'],
]

/** The next slot of each schedule, one row per schedule. */
function NextSlots({ next, paused, due }: Pick<Overview, 'next' | 'paused' | 'due'>) {
  const aside = (
    <span class="muted">
      {due > 0 && `${count(due, 'slot or file waits', 'slots or files wait')} for a run · `}
      <a href={to('/schedules')}>All schedules</a>
    </span>
  )
  return (
    <Section title="Next" aside={aside}>
      <Rows label="Next slots" rows={next} columns={NEXT} keyOf={triggerKey} empty="There are no upcoming slots." />
      {paused.length > 0 && (
        <p class="after-table">
          <span class="chip wait">paused</span>{' '}
          {paused.map((one, at) => (
            <>
              {at > 0 && ', '}
              <TriggerLine {...one} />
            </>
          ))}
        </p>
      )}
    </Section>
  )
}

const DAYS = 14

/** How the runs of the last few days ended, by day in the chosen time zone. */
function RunsByDay() {
  const today = dayOf(now.value, zone.value)
  const { days, from, to } = useMemo(() => {
    const days = lastDays(Date.parse(`${today}T12:00:00Z`), 'UTC', DAYS)
    const from = startOfDay(days[0] ?? today, zone.value)
    return { days, from, to: startOfDay(today, zone.value) + 36 * 3_600_000 }
  }, [today, zone.value])
  const input = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const read = useRead('hours.list', input, ofKind('runs'))
  return (
    <Section title={`Runs of the last ${count(DAYS, 'day')}`} aside={<small class="muted">Days of {zone.value}</small>}>
      <Loaded read={read} rows={3}>
        {({ hours }) => <DayBars days={runsByDay(hours, days, zone.value)} />}
      </Loaded>
    </Section>
  )
}
