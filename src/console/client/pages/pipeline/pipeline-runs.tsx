import { useRead } from '../../api/use-read.ts'
import { to } from '../../router/location.ts'
import { RunTable } from '../../runs/run-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'

/** The last runs of a pipeline. */
export function PipelineRuns({ name }: { readonly name: string }) {
  const read = useRead(
    '/runs',
    { pipeline: name, limit: 10 },
    (change) => change.kind === 'runs' && change.runs.some((run) => run.pipeline === name),
  )
  return (
    <Section title="Last runs" aside={<a href={to('/runs', { pipeline: name })}>All of its runs</a>}>
      <Loaded read={read} rows={6}>
        {({ runs }) =>
          runs.length === 0 ? (
            <Empty>It has not run yet.</Empty>
          ) : (
            <RunTable runs={runs} label={`Last runs of ${name}`} showPipeline={false} />
          )
        }
      </Loaded>
    </Section>
  )
}
