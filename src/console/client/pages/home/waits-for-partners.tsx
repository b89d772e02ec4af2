import { partnerText } from '../../../../core/format/partner-text.ts'
import type { Overview } from '../../api/types.ts'
import { PipelineLink, runAddress } from '../../runs/run-link.tsx'
import { type Column, InZone, RowsSection } from '../../ui/table.tsx'
import { Since, Time } from '../../ui/time.tsx'

type Wait = Overview['partnerWaits'][number]

const COLUMNS: readonly Column<Wait>[] = [
  [
    'Step',
    ({ runId, ref, counterpart }) => (
      <>
        <a href={runAddress(runId, { ref })} data-row title={runId}>
          <bdi>{ref}</bdi>
        </a>
        <span class="under wait">{partnerText({ counterpart })}</span>
      </>
    ),
    'name',
  ],
  ['Pipeline', ({ pipeline }) => <PipelineLink name={pipeline} />],
  [<InZone text="Since" />, ({ since }) => <Time at={since} />],
  ['For', ({ since }) => <Since at={since} />, 'right'],
]

/** The steps that are waiting for an answer from another participant, in active runs and in their child runs. */
export function WaitsForPartners({ waits }: { waits: readonly Wait[] }) {
  return (
    <RowsSection
      title="Waits for a partner"
      label="Steps that are waiting for a partner"
      rows={waits}
      columns={COLUMNS}
      keyOf={({ runId, ref }) => `${runId} ${ref}`}
    />
  )
}
