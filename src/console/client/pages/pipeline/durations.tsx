import { FINAL_STATUSES } from '../../../../core/format/statuses.ts'
import { useRead } from '../../api/use-read.ts'
import { RunChart } from '../../charts/run-chart.tsx'
import { durationChart } from '../../charts/run-chart-data.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { endedOf } from './ended-of.ts'

const RUNS = 60

/** How long the last runs of a pipeline ran, without the time in the queue. */
export function Durations({ name }: { readonly name: string }) {
  const read = useRead('/runs', { pipeline: name, status: FINAL_STATUSES, limit: RUNS }, endedOf(name))
  return (
    <Section title="Durations">
      <Loaded read={read} rows={6}>
        {({ runs }) => {
          const data = durationChart(runs)
          return data.points.length === 0 ? <Empty>No run of it has ended yet.</Empty> : <RunChart data={data} />
        }}
      </Loaded>
    </Section>
  )
}
