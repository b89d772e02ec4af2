import { count } from '../../../../core/format/figures.ts'
import { DrainButton } from '../../actions/drain-button.tsx'
import { MuteButton, UnmuteButton } from '../../actions/mute-dialogs.tsx'
import type { Me, System } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { to } from '../../router/location.ts'
import { WhatIsWrong } from '../../runs/broken-document.tsx'
import { RunLink } from '../../runs/run-link.tsx'
import { may, me } from '../../shell/me.ts'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { actsColumn, type Column, InZone, Rows } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AuditTable } from './audit-table.tsx'

/** What prevents audience start from working, which processes are working, and who did what. */
export function SystemPage() {
  const read = useRead('workers.list', {}, ofKind('beat', 'pipelines'))
  const who = me.value
  return (
    <Page title="System">
      <Loaded read={read} rows={8}>
        {(system) => (
          <>
            <Checks system={system} />
            <Section title="Workers" count={system.workers.length}>
              <Rows
                label="Workers"
                rows={system.workers}
                columns={workerColumns(system)}
                keyOf={({ name }) => name}
                empty="No process is working on runs."
              />
            </Section>
            <Section title="Notifications" aside={may('operator') && <MuteButton />}>
              <Facts
                items={[
                  ['On their way', count(system.notifications.pending, 'message')],
                  ['Given up', count(system.notifications.failed, 'message')],
                  ...system.notifications.mutes.map(
                    (mute) => [`Muted: ${mute.pipelines}`, <MutedUntil mute={mute} />] as const,
                  ),
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
      {who && (
        <Section title="This console">
          <Facts
            items={[
              ['You', `${who.by}, ${who.role}${who.readOnly ? ', read only' : ''}`],
              ['Version', who.version],
              ['Service', <ServiceLink who={who} />],
            ]}
          />
        </Section>
      )}
      <AuditTable />
    </Page>
  )
}

type Mute = System['notifications']['mutes'][number]

function MutedUntil({ mute: { pipelines, until, by, comment } }: { mute: Mute }) {
  return (
    <>
      until <Time at={until} withZone />
      <span class="under">{[by, comment].filter((part) => part !== undefined).join(': ')}</span>
      {may('operator') && <UnmuteButton pipelines={pipelines} />}
    </>
  )
}

function ServiceLink({ who: { service, synthetic } }: { who: Me }) {
  return (
    <>
      {service}
      <span class="under">
        <a href={to('/service')}>{synthetic ? 'Open its pages' : 'Why it has no pages here'}</a>
      </span>
    </>
  )
}

/** The columns of the workers. If the state is in a folder, no other worker can take runs. */
function workerColumns({ workers }: System): readonly Column<System['workers'][number]>[] {
  if (!may('operator') || workers.every(({ takes }) => takes !== 'all')) return WORKERS
  return [...WORKERS, actsColumn((worker) => worker.takes === 'all' && <DrainButton {...worker} />)]
}

const WORKERS: readonly Column<System['workers'][number]>[] = [
  [
    'Name',
    ({ name, keeper, takes, drainingSince }) => (
      <>
        {name}
        {keeper && <span class="muted"> (keeper)</span>}
        {takes === 'own' && <span class="muted"> (an audience run)</span>}
        {drainingSince !== undefined && (
          <span class="under">
            draining since <Time at={drainingSince} />
          </span>
        )}
      </>
    ),
    'name',
  ],
  ['Process', ({ pid, host }) => `${pid} on ${host}`, 'text'],
  ['Version', ({ version }) => version],
  [<InZone text="Started" />, ({ startedAt }) => <Time at={startedAt} />],
  ['Runs', ({ runs }) => runs, 'right figure'],
  ['Waiting for', ({ waits }) => waits ?? '–', 'right figure'],
  ['Stuck', ({ stuck }) => <Stuck runs={stuck} />],
]

function Stuck({ runs }: { runs: readonly string[] | undefined }) {
  if (runs === undefined) return <span class="muted">only that process knows</span>
  if (runs.length === 0) return <span class="muted">none</span>
  return runs.map((runId) => (
    <div key={runId}>
      <RunLink runId={runId} />
    </div>
  ))
}

/** The problems: conditions that are not met, invalid documents, and runs of other services. */
function Checks({ system: { checks, problems, otherServices } }: { system: System }) {
  return (
    <Section title="Checks">
      {checks.length === 0 && problems.length === 0 && (
        <Notice tone="good" icon="check">
          All checks pass, and every document is valid.
        </Notice>
      )}
      <WhatIsWrong checks={checks} problems={problems} />
      {otherServices.map(({ profile, service, runs }) => (
        <Notice key={String(service)} tone="wait" icon="warning">
          Unfinished runs of another service are waiting for a process of that service: {String(runs)} of{' '}
          {String(profile)}, {String(service)}
        </Notice>
      ))}
    </Section>
  )
}
