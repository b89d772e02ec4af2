import { AcknowledgeButton, CancelDialog, RetryDialog } from '../../actions/run-dialogs.tsx'
import type { RunDetail } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { valueText } from '../../format/value-text.ts'
import { ofRun } from '../../live/changes.ts'
import { place } from '../../router/location.ts'
import { BlockedSteps } from '../../runs/blocked-steps.tsx'
import { QueuedFor, RanFor, Standing } from '../../runs/run-cells.tsx'
import { compareAddress, PipelineLink, runFormAddress } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Diff } from '../../ui/diff.tsx'
import { DocumentText } from '../../ui/document-text.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { type Column, Rows } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { lastLineOf } from './last-line-of.ts'
import { LogTab } from './log-tab.tsx'
import { RunSummary } from './run-summary.tsx'
import { TimelineTab } from './timeline-tab.tsx'

const TABS = [
  ['timeline', 'Timeline'],
  ['document', 'Document'],
  ['log', 'Log'],
  ['inputs', 'Inputs and outputs'],
] as const

/** One run: what started it, how its steps went, and the actions for it. */
export function RunPage({ runId }: { runId: string }) {
  const read = useRead('runs.get', { runId }, ofRun(runId))
  const wanted = place.value.query.get('tab')
  const tab = TABS.find(([id]) => id === wanted)?.[0] ?? 'timeline'
  const { data } = read
  return (
    <Page
      title={data?.run.pipeline ?? 'Run'}
      lead={data ? <RunLead detail={data} /> : <code>{runId}</code>}
      actions={data && <RunActions detail={data} />}
    >
      <Loaded read={read} rows={8}>
        {(detail) => (
          <div class="run">
            <RunSummary detail={detail} />
            {detail.blocked.length > 0 && <BlockedSteps steps={detail.blocked} withRun={false} />}
            <Tabs name="tab" tabs={TABS} chosen={tab} />
            {tab === 'timeline' && <TimelineTab detail={detail} />}
            {tab === 'document' && <DocumentTab runId={runId} />}
            {tab === 'log' && <LogTab runId={runId} />}
            {tab === 'inputs' && <InputsTab detail={detail} />}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** The line under the name of the pipeline: how the run is going, and its id. */
function RunLead({ detail: { run } }: { detail: RunDetail }) {
  const hasQueued = run.status === 'queued' || (run.queuedMs ?? 0) >= 1000
  return (
    <>
      <Standing of={run} />
      {hasQueued && (
        <span>
          queued for <QueuedFor run={run} />
        </span>
      )}
      {run.beganAt !== undefined && (
        <span>
          ran for <RanFor run={run} />
        </span>
      )}
      <span>
        <code class="break">{run.runId}</code>
        <CopyButton text={run.runId} what="Run id" />
      </span>
      <span>
        All of <PipelineLink name={run.pipeline} />
      </span>
    </>
  )
}

function RunActions({ detail }: { detail: RunDetail }) {
  const { runId, pipeline, finishedAt } = detail.run
  const compare = detail.lastGood !== undefined && (
    <a class="button" href={compareAddress(runId, detail.lastGood)}>
      Compare with the last good run
    </a>
  )
  if (!may('operator')) return compare
  return (
    <>
      {compare}
      {finishedAt === undefined ? (
        <DialogButton text="Cancel run…" dialog={() => <CancelDialog detail={detail} />} />
      ) : (
        <DialogButton text="Retry…" dialog={() => <RetryDialog detail={detail} />} />
      )}
      {detail.run.status === 'failed' && !detail.run.acknowledged && <AcknowledgeButton run={detail.run} />}
      <a class="button" href={runFormAddress(pipeline, { of: runId })}>
        Run again…
      </a>
    </>
  )
}

/** The document that this run used, with the chosen step marked, and how the current document differs from it. */
function DocumentTab({ runId }: { runId: string }) {
  const read = useRead('runs.document', { runId })
  const chosen = place.value.query.get('step')
  return (
    <Loaded read={read} rows={12}>
      {({ text, file, digest, steps, today }) => {
        const step = steps.find(({ id }) => id === chosen)
        return (
          <>
            <p class="muted break under-tabs">
              <code>{file}</code> in the version that this run used, {digest.slice(0, 12)}
            </p>
            {!today && (
              <Notice tone="quiet" icon="files">
                This pipeline has no document now.
              </Notice>
            )}
            {today && today.diff.length > 0 && (
              <details class="disclosure">
                <summary>The current document differs</summary>
                <Diff lines={today.diff} label="From this run’s document to the current one" />
              </details>
            )}
            <DocumentText text={text} from={step?.line ?? 0} to={step ? lastLineOf(text, step.line) : 0} />
          </>
        )
      }}
    </Loaded>
  )
}

const COLUMNS: readonly Column<readonly [name: string, value: unknown]>[] = [
  ['Name', ([name]) => name, 'name'],
  ['Value', ([, value]) => <bdi>{valueText(value)}</bdi>, 'text'],
]

function InputsTab({ detail: { run, inputs, trigger, outputs } }: { detail: RunDetail }) {
  const parts = [
    ['Inputs', inputs, 'The run has no inputs.'],
    ['Trigger', trigger, 'A person started it.'],
    ['Outputs', outputs ?? {}, run.finishedAt === undefined ? 'It has not ended.' : 'The run has no outputs.'],
  ] as const
  return parts.map(([title, values, empty]) => (
    <Section key={title} title={title}>
      <Rows
        label={title}
        rows={Object.entries(values)}
        columns={COLUMNS}
        keyOf={([name]) => name}
        empty={empty}
        dense
      />
    </Section>
  ))
}
