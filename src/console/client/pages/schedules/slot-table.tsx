import type { Slot } from '../../api/types.ts'
import { PipelineLink } from '../../runs/run-link.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { OwnClockCell, Time, TimeHead } from '../../ui/time.tsx'
import { SlotState } from './slot-state.tsx'

/** Past slots, newest first. */
export function SlotTable({ slots }: { readonly slots: readonly Slot[] }) {
  if (slots.length === 0) return <Empty>No slot has passed in the last five weeks.</Empty>
  const head = (
    <>
      <TimeHead>Slot</TimeHead>
      <Head>By its own clock</Head>
      <Head>Pipeline</Head>
      <Head>What became of it</Head>
    </>
  )
  return (
    <Table label="Past slots" head={head} dense>
      {slots.map((slot) => (
        <tr key={`${slot.pipeline}/${slot.trigger}/${slot.key}`}>
          <td>
            <Time at={slot.at} />
          </td>
          <OwnClockCell local={slot.local} timezone={slot.timezone} />
          <td class="name">
            <PipelineLink name={slot.pipeline} /> <span class="muted">{slot.trigger}</span>
          </td>
          <td class="text">
            <SlotState slot={slot} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
