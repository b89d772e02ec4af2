import type { Pipeline } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { to } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'
import { triggerText } from './trigger-text.ts'

/** The pipelines, each with what starts it and how it went the last time. */
export function PipelinesPage() {
  const read = useRead('/pipelines', {}, ({ kind }) => kind === 'pipelines' || kind === 'runs')
  const head = (
    <>
      <Head>Pipeline</Head>
      <Head>Started by</Head>
      <Head>Last run</Head>
      <TimeHead>Submitted</TimeHead>
      <TimeHead>Next slot</TimeHead>
    </>
  )
  return (
    <Page title="Pipelines">
      <Loaded read={read} rows={8}>
        {({ pipelines }) =>
          pipelines.length === 0 ? (
            <Empty>There is no valid document in the folders that audience start was given.</Empty>
          ) : (
            <Table label="Pipelines" head={head}>
              {pipelines.map((pipeline) => (
                <Row key={pipeline.name} pipeline={pipeline} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Page>
  )
}

function Row({ pipeline: { name, description, triggers, lastRun } }: { readonly pipeline: Pipeline }) {
  const next = triggers.flatMap((trigger) => trigger.next ?? []).toSorted()[0]
  return (
    <tr>
      <td class="name">
        <a href={to(`/pipelines/${encodeURIComponent(name)}`)} data-row>
          <bdi>{name}</bdi>
        </a>
        {description !== undefined && <span class="under clamp">{description}</span>}
      </td>
      <td class="text">
        {triggers.length === 0 && <span class="muted">By hand only</span>}
        {triggers.map((trigger) => (
          <div key={trigger.id}>
            {triggerText(trigger)} {trigger.pausedSince !== undefined && <span class="chip wait">paused</span>}
          </div>
        ))}
      </td>
      <td>{lastRun ? <LastRun run={lastRun} /> : <span class="muted">Never</span>}</td>
      <td>{lastRun && <Time at={lastRun.submittedAt} />}</td>
      <td>{next === undefined ? <span class="muted">–</span> : <Time at={next} />}</td>
    </tr>
  )
}

function LastRun({ run }: { readonly run: NonNullable<Pipeline['lastRun']> }) {
  return (
    <a href={runAddress(run.runId)}>
      <Status status={run.status} short />
    </a>
  )
}
