import type { Pipeline } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { to } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Standing } from '../../runs/standing.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, InZone, NONE, Rows } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { triggerText } from './trigger-text.ts'

const COLUMNS: readonly Column<Pipeline>[] = [
  [
    'Pipeline',
    ({ name, description }) => (
      <>
        <a href={to(`/pipelines/${encodeURIComponent(name)}`)} data-row>
          <bdi>{name}</bdi>
        </a>
        {description !== undefined && <span class="under clamp">{description}</span>}
      </>
    ),
    'name',
  ],
  [
    'Started by',
    ({ triggers }) =>
      triggers.length === 0 ? (
        <span class="muted">By hand only</span>
      ) : (
        triggers.map((trigger) => (
          <div key={trigger.id}>
            {triggerText(trigger)} {trigger.pausedSince !== undefined && <span class="chip wait">paused</span>}
          </div>
        ))
      ),
    'text',
  ],
  [
    'Last run',
    ({ lastRun }) =>
      lastRun ? (
        <a href={runAddress(lastRun.runId)}>
          <Standing of={lastRun} short />
        </a>
      ) : (
        <span class="muted">Never</span>
      ),
  ],
  [<InZone text="Submitted" />, ({ lastRun }) => lastRun && <Time at={lastRun.submittedAt} />],
  [
    <InZone text="Next slot" />,
    ({ triggers }) => {
      const next = triggers.flatMap((trigger) => trigger.next ?? []).toSorted()[0]
      return next === undefined ? NONE : <Time at={next} />
    },
  ],
]

/** The pipelines, each with what starts it and how it went the last time. */
export function PipelinesPage() {
  const read = useRead('/pipelines', {}, ({ kind }) => kind === 'pipelines' || kind === 'runs')
  return (
    <Page title="Pipelines">
      <Loaded read={read} rows={8}>
        {({ pipelines }) => (
          <Rows
            label="Pipelines"
            rows={pipelines}
            columns={COLUMNS}
            keyOf={({ name }) => name}
            empty="There is no valid document in the folders that audience start was given."
          />
        )}
      </Loaded>
    </Page>
  )
}
