import { useRead } from '../../api/use-read.ts'
import { concernsRun } from '../../live/changes.ts'
import { place } from '../../router/location.ts'
import { BlockedSteps } from '../../runs/blocked-steps.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DocumentTab } from './document-tab.tsx'
import { InputsTab } from './inputs-tab.tsx'
import { LogTab } from './log-tab.tsx'
import { RunActions } from './run-actions.tsx'
import { RunFacts } from './run-facts.tsx'
import { RunLead } from './run-lead.tsx'
import { TimelineTab } from './timeline-tab.tsx'

const TABS = [
  ['timeline', 'Timeline'],
  ['document', 'Document'],
  ['log', 'Log'],
  ['inputs', 'Inputs and outputs'],
] as const

/** One run: what started it, how its steps went, and what a person can do about it. */
export function RunPage({ runId }: { readonly runId: string }) {
  const read = useRead('/runs/{runId}', { runId }, (change) => concernsRun(change, runId))
  const wanted = place.value.query.get('tab')
  const tab = TABS.find(([id]) => id === wanted)?.[0] ?? 'timeline'
  const { data } = read
  return (
    <Page
      title={data?.run.pipeline ?? 'Run'}
      lead={data ? <RunLead detail={data} /> : <code>{runId}</code>}
      actions={data && <RunActions detail={data} reload={read.reload} />}
    >
      <Loaded read={read} rows={8}>
        {(detail) => (
          <>
            <RunFacts detail={detail} />
            {detail.blocked.length > 0 && <BlockedSteps steps={detail.blocked} withRun={false} />}
            <Tabs name="tab" tabs={TABS} chosen={tab} />
            {tab === 'timeline' && <TimelineTab detail={detail} reload={read.reload} />}
            {tab === 'document' && <DocumentTab runId={runId} />}
            {tab === 'log' && <LogTab runId={runId} />}
            {tab === 'inputs' && <InputsTab detail={detail} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
