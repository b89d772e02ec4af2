import { count } from '../../../../core/format/figures.ts'
import type { ComingSlotItem, Overview } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { TriggerLine, TriggerName, triggerKey } from '../../runs/run-link.tsx'
import { Section } from '../../ui/page.tsx'
import { type Column, InZone, Rows } from '../../ui/table.tsx'
import { OwnClock, Time, Until } from '../../ui/time.tsx'

const COLUMNS: readonly Column<ComingSlotItem>[] = [
  ['Pipeline', (slot) => <TriggerName {...slot} />, 'name'],
  [<InZone text="Next slot" />, ({ at }) => <Time at={at} />],
  ['In its time zone', (slot) => <OwnClock {...slot} />, 'text'],
  ['In', ({ startsAt }) => <Until at={startsAt} />, 'right'],
]

/** The next slot of each schedule, one row per schedule. */
export function NextSlots({ next, paused, due }: Pick<Overview, 'next' | 'paused' | 'due'>) {
  const aside = (
    <span class="muted">
      {due > 0 && `${count(due, 'slot or file waits', 'slots or files wait')} for a run · `}
      <a href={to('/schedules')}>All schedules</a>
    </span>
  )
  return (
    <Section title="Next" aside={aside}>
      <Rows label="Next slots" rows={next} columns={COLUMNS} keyOf={triggerKey} empty="There are no upcoming slots." />
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
