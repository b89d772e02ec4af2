import { FINAL_STATUSES } from '../../../../core/format/statuses.ts'
import { MuteButton, UnmuteButton } from '../../actions/mute-dialogs.tsx'
import type { PipelineItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { RunChart } from '../../charts/run-chart.tsx'
import { durationChart } from '../../charts/run-chart-data.ts'
import { ofKind } from '../../live/changes.ts'
import { place, to } from '../../router/location.ts'
import { BrokenDocument } from '../../runs/broken-document.tsx'
import { runFormAddress } from '../../runs/run-link.tsx'
import { RunTable } from '../../runs/run-table.tsx'
import { may } from '../../shell/me.ts'
import { DocumentText } from '../../ui/document-text.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { type Column, InZone, NONE, Rows, RowsSection } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { onlyUnder, triggerText } from '../pipelines/trigger-text.ts'
import { endedOf, FiguresTab } from './figures-tab.tsx'
import { LineageTab } from './lineage-tab.tsx'

const TABS = [
  ['figures', 'Figures and runs'],
  ['triggers', 'Triggers'],
  ['document', 'Document'],
  ['lineage', 'Lineage'],
] as const

/** One pipeline: its figures, its triggers and its document. */
export function PipelinePage({ name }: { name: string }) {
  const read = useRead('pipelines.get', { pipeline: name }, ofKind('pipelines', 'runs'))
  const wanted = place.value.query.get('tab')
  const tab = TABS.find(([id]) => id === wanted)?.[0] ?? 'figures'
  return (
    <Page
      title={name}
      lead={read.data?.pipeline.description}
      actions={
        read.data &&
        may('operator') && (
          <>
            {read.data.pipeline.muted?.pipelines === name ? (
              <UnmuteButton pipelines={name} />
            ) : (
              <MuteButton pipeline={name} />
            )}
            <a class="button primary" href={runFormAddress(name)}>
              Run now…
            </a>
          </>
        )
      }
    >
      <Tabs name="tab" tabs={TABS} chosen={tab} />
      <Loaded read={read} rows={8}>
        {({ pipeline, text, digest }) => (
          <>
            <BrokenDocument pipeline={pipeline} />
            {pipeline.muted && <Muted mute={pipeline.muted} />}
            {tab === 'figures' && (
              <>
                <FiguresTab name={name} />
                <Durations name={name} />
                <PipelineRuns name={name} />
              </>
            )}
            {tab === 'triggers' && <TriggersTab pipeline={pipeline} />}
            {tab === 'document' && (
              <>
                {pipeline.problem?.text !== undefined && <BrokenText text={pipeline.problem.text} />}
                <p class="muted break under-tabs">
                  <code>{pipeline.file}</code> {pipeline.problem ? 'in its last valid version' : 'as it is now'},{' '}
                  {digest.slice(0, 12)}
                </p>
                <DocumentText text={text} />
              </>
            )}
            {tab === 'lineage' && <LineageTab name={name} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Muted({ mute: { pipelines, until } }: { mute: NonNullable<PipelineItem['muted']> }) {
  return (
    <Notice tone="quiet" icon="skip">
      <span>
        Messages about it are muted until <Time at={until} withZone />: muted as {pipelines}
      </span>
      <a href={to('/system')}>All mutes</a>
    </Notice>
  )
}

/** The current text of the file, with the line of the chosen error marked. */
function BrokenText({ text }: { text: string }) {
  const line = Number(place.value.query.get('line') ?? 0)
  return (
    <details class="disclosure" open={line > 0}>
      <summary>The current file</summary>
      <DocumentText text={text} from={line} to={line} />
    </details>
  )
}

const RUNS = 60

/** How long the latest runs of a pipeline took, without the time in the queue. */
function Durations({ name }: { name: string }) {
  const read = useRead('runs.list', { pipeline: name, status: FINAL_STATUSES, limit: RUNS }, endedOf(name))
  return (
    <Section title="Durations">
      <Loaded read={read} rows={6}>
        {({ runs }) => {
          const data = durationChart(runs)
          return data.points.length === 0 ? (
            <Empty>No run of this pipeline has ended yet.</Empty>
          ) : (
            <RunChart data={data} />
          )
        }}
      </Loaded>
    </Section>
  )
}

function PipelineRuns({ name }: { name: string }) {
  const read = useRead(
    'runs.list',
    { pipeline: name, limit: 10 },
    (change) => change.kind === 'runs' && change.runs.some((run) => run.pipeline === name),
  )
  return (
    <Section title="Last runs" aside={<a href={to('/runs', { pipeline: name })}>All of its runs</a>}>
      <Loaded read={read} rows={6}>
        {({ runs }) => (
          <RunTable
            runs={runs}
            label={`Last runs of ${name}`}
            empty="This pipeline has not run yet."
            showPipeline={false}
          />
        )}
      </Loaded>
    </Section>
  )
}

function TriggersTab({ pipeline: { name, triggers, otherTriggers } }: { pipeline: PipelineItem }) {
  const columns: readonly Column<PipelineItem['triggers'][number]>[] = [
    ['Trigger', ({ id }) => id, 'name'],
    ['Follows', triggerText, 'text'],
    [<InZone text="Next slot" />, ({ next }) => (next === undefined ? NONE : <Time at={next} />)],
    [
      <InZone text="Paused since" />,
      ({ pausedSince }) => (pausedSince === undefined ? NONE : <Time at={pausedSince} />),
    ],
    [
      'Outcome',
      ({ id, kind }) =>
        kind === 'schedule' ? (
          <a href={to('/schedules', { view: 'calendar', pipeline: name, trigger: id })}>Calendar of slots</a>
        ) : (
          <a href={to('/files', { pipeline: name, trigger: id })}>Its files</a>
        ),
    ],
  ]
  const others: readonly Column<PipelineItem['otherTriggers'][number]>[] = [
    ['Trigger', ({ id }) => id, 'name'],
    ['Follows', triggerText, 'text'],
    ['Starts runs', onlyUnder, 'text'],
  ]
  return (
    <>
      <Rows
        label="Triggers"
        rows={triggers}
        columns={columns}
        keyOf={({ id }) => id}
        empty={`It has no triggers${otherTriggers.length > 0 ? ' here' : ''}: people start it.`}
      />
      <RowsSection
        title="Not scheduled here"
        label="Triggers of other profiles"
        rows={otherTriggers}
        columns={others}
        keyOf={({ id }) => id}
      />
    </>
  )
}
