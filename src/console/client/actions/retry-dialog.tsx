import { useSignal } from '@preact/signals'
import { post } from '../api/request.ts'
import type { RunDetail } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { go } from '../router/location.ts'
import { runAddress } from '../runs/run-link.tsx'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { Diff } from '../ui/diff.tsx'
import { Facts } from '../ui/facts.tsx'
import { Select } from '../ui/fields.tsx'
import { doneAgain } from './done-again.ts'

/** Starts a new run that keeps results of an ended run. Says what is kept and what is repeated. */
export function RetryDialog({ detail }: { detail: RunDetail }) {
  const { runId, pipeline } = detail.run
  const { data } = useRead('/runs/{runId}/steps', { runId, limit: 1000 })
  const document = useRead('/runs/{runId}/document', { runId })
  const from = useSignal('')
  const version = useSignal<'recorded' | 'today'>('recorded')
  const today = document.data?.today
  const isOther = today !== undefined && today.digest !== document.data?.digest
  const graph = (document.data?.steps ?? []).filter(({ section, block }) => section === 'steps' && block === undefined)
  const again = doneAgain(graph, data?.steps ?? [], from.value)
  const kept = graph.map(({ id }) => id).filter((id) => !again.includes(id))
  const act = async (reason: Reason) => {
    const given = { from: from.value || undefined, document: version.value }
    const next = await post('/runs/{runId}/retry', { runId, ...given, ...reason })
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
            ['recorded', 'As this run used it'],
            ['today', 'As it is now'],
          ]}
          onChoice={(chosen) => {
            version.value = chosen
            if (chosen === 'today' && from.value === '') from.value = again[0] ?? graph[0]?.id ?? ''
          }}
        />
      )}
      {isOther && version.value === 'today' && (
        <Diff lines={today.diff} label="From this run’s document to the one as it is now" />
      )}
      <Select
        label="Begin with"
        value={from.value}
        choices={[
          ...(version.value === 'today' ? [] : [['', 'What did not succeed'] as const]),
          ...graph.map(({ id }) => [id, `${id}, and all that need it`] as const),
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
