import type { Pipeline } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { Empty } from '../../ui/notice.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { triggerText } from '../pipelines/trigger-text.ts'

/** What starts a pipeline by itself. */
export function TriggersTab({ pipeline: { name, triggers } }: { readonly pipeline: Pipeline }) {
  if (triggers.length === 0) return <Empty>It has no triggers: people start it.</Empty>
  const head = (
    <>
      <Head>Trigger</Head>
      <Head>Follows</Head>
      <TimeHead>Next slot</TimeHead>
      <TimeHead>Paused since</TimeHead>
      <Head>What became of it</Head>
    </>
  )
  return (
    <Table label="Triggers" head={head}>
      {triggers.map((trigger) => (
        <tr key={trigger.id}>
          <td class="name">{trigger.id}</td>
          <td class="text">{triggerText(trigger)}</td>
          <td>{trigger.next === undefined ? <span class="muted">–</span> : <Time at={trigger.next} />}</td>
          <td>
            {trigger.pausedSince === undefined ? <span class="muted">–</span> : <Time at={trigger.pausedSince} />}
          </td>
          <td>
            {trigger.kind === 'schedule' ? (
              <a href={to('/schedules', { view: 'calendar', pipeline: name, trigger: trigger.id })}>
                Calendar of slots
              </a>
            ) : (
              <a href={to('/files', { pipeline: name, trigger: trigger.id })}>Its files</a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}
