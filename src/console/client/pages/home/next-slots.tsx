import { count } from '../../../../core/format/figures.ts'
import type { Overview } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { PipelineLink } from '../../runs/run-link.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { OwnClockCell, Time, TimeHead, Until } from '../../ui/time.tsx'

/** The next slot of each schedule, one line a schedule. */
export function NextSlots({ next, paused, due }: Pick<Overview, 'next' | 'paused' | 'due'>) {
  const head = (
    <>
      <Head>Pipeline</Head>
      <Head>Trigger</Head>
      <TimeHead>Next slot</TimeHead>
      <Head>By its own clock</Head>
      <Head right>In</Head>
    </>
  )
  const aside = (
    <span class="muted">
      {due > 0 && `${count(due, 'slot or file waits', 'slots or files wait')} for a run · `}
      {paused.length > 0 && `${count(paused.length, 'trigger')} paused · `}
      <a href={to('/schedules')}>All schedules</a>
    </span>
  )
  return (
    <Section title="Next" aside={aside}>
      {next.length === 0 ? (
        <Empty>No pipeline has a schedule.</Empty>
      ) : (
        <Table label="Next slots" head={head}>
          {next.map((slot) => (
            <tr key={`${slot.pipeline}/${slot.trigger}`}>
              <td class="name">
                <PipelineLink name={slot.pipeline} />
              </td>
              <td>
                {slot.trigger} {slot.paused && <span class="chip wait">paused</span>}
              </td>
              <td>
                <Time at={slot.at} />
              </td>
              <OwnClockCell local={slot.local} timezone={slot.timezone} />
              <td class="right">
                <Until at={slot.startsAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}
