import { useSignal } from '@preact/signals'
import { count } from '../../../core/format/figures.ts'
import { post } from '../api/request.ts'
import type { RunDetail, RunItem } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { ofRun } from '../live/changes.ts'
import { go } from '../router/location.ts'
import { runAddress } from '../runs/run-link.tsx'
import { ActButton, ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { Diff } from '../ui/diff.tsx'
import { Facts } from '../ui/facts.tsx'
import { Select } from '../ui/fields.tsx'
import { Notice } from '../ui/notice.tsx'
import { repeatedSteps } from './repeated-steps.ts'

interface AcknowledgeButtonProps {
  run: RunItem
  /** How many runs of the last day failed like this one. */
  failures?: number
}

/** Opens the dialog for acknowledging failures of one kind. */
export function AcknowledgeButton({ run: { runId, pipeline, error }, failures }: AcknowledgeButtonProps) {
  const act = async ({ reason = '' }: Reason) => {
    await post('runs.acknowledge', { runId, reason })
    return `Failures of ${pipeline} are acknowledged`
  }
  return (
    <ActButton title={`Acknowledge failures of ${pipeline}`} button="Acknowledge" act={act} needsReason>
      <p>
        {failures !== undefined && `${count(failures, 'run has', 'runs have')} failed like this in the last 24 hours. `}
        Until {pipeline} succeeds, these failures and later ones with this error are no longer shown as new. Any other
        error is shown immediately.
      </p>
      {error && <p class="muted break">{error.message}</p>}
    </ActButton>
  )
}

/** The dialog for cancelling a run. It says what continues anyway. */
export function CancelDialog({ detail }: { detail: RunDetail }) {
  const { runId, pipeline } = detail.run
  const { data } = useRead('runs.get', { runId }, ofRun(runId))
  const { jobsUnderWay } = data ?? detail
  const act = async (reason: Reason) => {
    await post('runs.cancel', { runId, ...reason })
    return `${pipeline} is being cancelled`
  }
  return (
    <ActDialog title={`Cancel this run of ${pipeline}`} button="Cancel run" danger act={act}>
      <p>
        Steps that have not begun will not begin. Steps in <code>finally</code> still run.
      </p>
      {jobsUnderWay.length > 0 && (
        <Notice tone="wait" icon="warning">
          {count(jobsUnderWay.length, 'job continues', 'jobs continue')} at the service, because nothing can stop{' '}
          {jobsUnderWay.length === 1 ? 'it' : 'them'}: <code class="break">{jobsUnderWay.join(', ')}</code>
        </Notice>
      )}
    </ActDialog>
  )
}

/** The dialog for starting a new run that keeps results of an ended run. It says what is kept and what is repeated. */
export function RetryDialog({ detail }: { detail: RunDetail }) {
  const { runId, pipeline } = detail.run
  const { data } = useRead('runs.steps', { runId, limit: 1000 })
  const document = useRead('runs.document', { runId })
  const from = useSignal('')
  const version = useSignal<'recorded' | 'today'>('recorded')
  const today = document.data?.today
  const isOther = today !== undefined && today.digest !== document.data?.digest
  const graph = (document.data?.steps ?? []).filter(({ section, block }) => section === 'steps' && block === undefined)
  const again = repeatedSteps(graph, data?.steps ?? [], from.value)
  const kept = graph.map(({ id }) => id).filter((id) => !again.includes(id))
  const act = async (reason: Reason) => {
    const given = { from: from.value || undefined, document: version.value }
    const next = await post('runs.retry', { runId, ...given, ...reason })
    go(runAddress(next.runId))
    return next.state === 'skipped'
      ? `${pipeline} was skipped: its group is full`
      : `${pipeline}: the new run is ${next.state}`
  }
  return (
    <ActDialog title={`Retry ${pipeline}`} button="Start the new run" act={act}>
      {isOther && (
        <Select
          label="Document"
          value={version.value}
          choices={[
            ['recorded', 'The version that this run used'],
            ['today', 'The current version'],
          ]}
          onChoice={(chosen) => {
            version.value = chosen
            if (chosen === 'today' && from.value === '') from.value = again[0] ?? graph[0]?.id ?? ''
          }}
        />
      )}
      {isOther && version.value === 'today' && (
        <Diff lines={today.diff} label="From this run’s document to the current one" />
      )}
      <Select
        label="Begin with"
        value={from.value}
        choices={[
          ...(version.value === 'today' ? [] : [['', 'The steps that did not succeed'] as const]),
          ...graph.map(({ id }) => [id, `${id}, and all steps that need it`] as const),
        ]}
        onChoice={(step) => (from.value = step)}
      />
      {data && (
        <Facts
          items={[
            ['Kept, with its results', kept.join(', ') || 'nothing'],
            ['Done again', again.join(', ') || 'nothing'],
          ]}
        />
      )}
    </ActDialog>
  )
}
