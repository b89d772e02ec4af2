import { useRead } from '../../api/use-read.ts'
import { place, to } from '../../router/location.ts'
import { may } from '../../shell/me.ts'
import { DocumentText } from '../../ui/document-text.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Durations } from './durations.tsx'
import { FiguresTab } from './figures-tab.tsx'
import { LineageTab } from './lineage-tab.tsx'
import { PipelineRuns } from './pipeline-runs.tsx'
import { TriggersTab } from './triggers-tab.tsx'

const TABS = [
  ['figures', 'Figures and runs'],
  ['triggers', 'Triggers'],
  ['document', 'Document'],
  ['lineage', 'Lineage'],
] as const

/** One pipeline: how its figures go, what starts it, and what it is. */
export function PipelinePage({ name }: { readonly name: string }) {
  const read = useRead(
    '/pipelines/{pipeline}',
    { pipeline: name },
    ({ kind }) => kind === 'pipelines' || kind === 'runs',
  )
  const wanted = place.value.query.get('tab')
  const tab = TABS.find(([id]) => id === wanted)?.[0] ?? 'figures'
  return (
    <Page
      title={name}
      lead={read.data?.pipeline.description}
      actions={
        read.data &&
        may('operator') && (
          <a class="button primary" href={to(`/pipelines/${encodeURIComponent(name)}/run`)}>
            Run now…
          </a>
        )
      }
    >
      <Tabs name="tab" tabs={TABS} chosen={tab} />
      <Loaded read={read} rows={8}>
        {({ pipeline, text, digest }) => (
          <>
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
                <p class="muted break under-tabs">
                  <code>{pipeline.file}</code> as it is now, {digest.slice(0, 12)}
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
