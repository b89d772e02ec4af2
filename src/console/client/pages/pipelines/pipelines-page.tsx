import { count } from '../../../../core/format/figures.ts'
import type { PipelineItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { place } from '../../router/location.ts'
import { Standing } from '../../runs/run-cells.tsx'
import { pipelineAddress, runAddress, runFormAddress } from '../../runs/run-link.tsx'
import { standingOf } from '../../runs/standing-of.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { statusLook } from '../../ui/status.tsx'
import { actsColumn, type Column, InZone, NONE, Rows } from '../../ui/table.tsx'
import { shownTime, Time } from '../../ui/time.tsx'
import { onlyUnder, triggerText } from './trigger-text.ts'

const COLUMNS: readonly Column<PipelineItem>[] = [
  [
    'Pipeline',
    ({ name, description, problem, muted }) => (
      <>
        <a href={pipelineAddress(name)} data-row>
          <bdi>{name}</bdi>
        </a>
        {problem && (
          <a class="chip wait" href={pipelineAddress(name, { tab: 'document' })}>
            the file has {count(problem.errors, 'error')}
          </a>
        )}
        {muted && <span class="chip">muted</span>}
        {description !== undefined && <span class="under clamp">{description}</span>}
      </>
    ),
    'name',
  ],
  [
    'Started by',
    ({ triggers, otherTriggers }) =>
      triggers.length + otherTriggers.length === 0 ? (
        <span class="muted">By hand only</span>
      ) : (
        <>
          {triggers.map((trigger) => (
            <div key={trigger.id}>
              {triggerText(trigger)} {trigger.pausedSince !== undefined && <span class="chip wait">paused</span>}
            </div>
          ))}
          {otherTriggers.map((trigger) => (
            <div key={trigger.id} class="muted">
              {triggerText(trigger)}: not here, {onlyUnder(trigger)}
            </div>
          ))}
        </>
      ),
    'text',
  ],
  [
    <InZone text="Last 20 runs" />,
    (pipeline) => {
      const { lastRun } = pipeline
      if (!lastRun) return <span class="muted">Never</span>
      return (
        <>
          <RunStrip pipeline={pipeline} />
          <a href={runAddress(lastRun.runId)}>
            <Standing of={lastRun} short />
          </a>{' '}
          <Time at={lastRun.submittedAt} />
        </>
      )
    },
    'strip-cell',
  ],
  [
    <InZone text="Next slot" />,
    ({ triggers }) => {
      const next = triggers.flatMap((trigger) => trigger.next ?? []).toSorted()[0]
      return next === undefined ? NONE : <Time at={next} />
    },
  ],
  actsColumn(({ name }) => (
    <a class="button" href={runFormAddress(name)}>
      Run…<span class="hidden"> {name}</span>
    </a>
  )),
]

/** The pipelines. Each row shows what starts the pipeline and how its latest runs went. */
export function PipelinesPage() {
  const read = useRead('pipelines.list', {}, ofKind('pipelines', 'runs'))
  const q = place.value.query.get('q') ?? ''
  return (
    <Page title="Pipelines">
      <Loaded read={read} rows={8}>
        {({ pipelines }) => (
          <>
            <div class="toolbar">
              <SearchField name="q" label="Search pipelines" hint="Name or description" />
            </div>
            <Rows
              label="Pipelines"
              rows={pipelines.filter((pipeline) => isLike(pipeline, q))}
              columns={COLUMNS}
              keyOf={({ name }) => name}
              empty={
                pipelines.length === 0
                  ? 'There is no valid document in the folders that audience start was given.'
                  : `No pipeline has “${q}” in its name or description.`
              }
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function isLike({ name, description = '' }: PipelineItem, text: string): boolean {
  return `${name}\n${description}`.toLowerCase().includes(text.toLowerCase())
}

/** The latest runs of a pipeline as links, oldest first. For screen readers, each link has a word and a time. */
function RunStrip({ pipeline: { name, newest } }: { pipeline: PipelineItem }) {
  return (
    <ol class="run-strip" aria-label={`Last runs of ${name}, oldest first`}>
      {newest.map((run) => {
        const standing = standingOf(run)
        const { icon, tone, text } = statusLook(standing.status)
        const said = `${standing.text ?? text}, ${shownTime(run.submittedAt)}`
        return (
          <li key={run.runId}>
            <a href={runAddress(run.runId)} class={tone} title={said} aria-label={said}>
              <Icon name={icon} spins={run.status === 'running'} />
            </a>
          </li>
        )
      })}
    </ol>
  )
}
