import { count, formatNumber } from '../../../../core/format/figures.ts'
import { AcknowledgeButton } from '../../actions/run-dialogs.tsx'
import type { Overview } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { RunName } from '../../runs/run-table.tsx'
import { may } from '../../shell/me.ts'
import { Section } from '../../ui/page.tsx'
import { type Column, InZone, Rows } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

type Group = Overview['failureGroups'][number]

const COLUMNS: readonly Column<Group>[] = [
  [
    'Pipeline',
    ({ run, run: { acknowledged } }) => (
      <>
        <RunName run={run} text={run.pipeline} />
        {acknowledged && (
          <span class="under">
            {acknowledged.by}: “{acknowledged.comment}”
          </span>
        )}
      </>
    ),
    'name',
  ],
  [
    'Runs',
    ({ run: { pipeline, error }, failures }) => (
      <a href={to('/runs', { pipeline, error: error?.key })} aria-label={count(failures, 'failed run')}>
        {formatNumber(failures)}
      </a>
    ),
    'right',
  ],
  [<InZone text="First" />, ({ firstAt }) => <Time at={firstAt} />],
  ['Last', ({ lastAt }) => <Time at={lastAt} />],
]
const ACT: Column<Group> = [<span class="hidden">Act</span>, (group) => <AcknowledgeButton {...group} />, 'right']

const keyOf = ({ run }: Group) => run.runId

/** The failures of the last day by pipeline and kind of error. Acknowledged failures are collapsed. */
export function FailureGroups({ groups, failed }: { groups: readonly Group[]; failed: number }) {
  const open = groups.filter(({ run }) => !run.acknowledged)
  const seen = groups.filter(({ run }) => run.acknowledged)
  return (
    <Section
      title="Failed in the last 24 hours"
      count={failed}
      aside={failed > 0 && <a href={to('/runs', { status: 'failed' })}>All failed runs</a>}
    >
      <Rows
        label="Failures"
        rows={open}
        columns={may('operator') ? [...COLUMNS, ACT] : COLUMNS}
        keyOf={keyOf}
        empty={seen.length > 0 ? 'All failures are acknowledged.' : 'Nothing failed.'}
      />
      {seen.length > 0 && (
        <details class="disclosure">
          <summary>{count(seen.length, 'kind')} of failures acknowledged</summary>
          <Rows label="Acknowledged failures" rows={seen} columns={COLUMNS} keyOf={keyOf} />
        </details>
      )}
    </Section>
  )
}
