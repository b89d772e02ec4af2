import { count, formatNumber, formatShare } from '../../../../core/format/figures.ts'
import type { ServiceGroup, ServiceParticipant } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { words } from '../../format/words.ts'
import { to } from '../../router/location.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { type Column, orDash, Rows } from '../../ui/table.tsx'
import { ClockSection } from './clock-section.tsx'
import { WaitingJobs } from './jobs.tsx'
import { ServicePage, useServiceRead } from './service-page.tsx'
import { Named, Scopes, Who } from './who.tsx'

const APPROVALS = {
  auto: 'yes, immediately',
  manual: 'by a person: approve its jobs here',
  reject: 'no, always',
} as const

const PARTICIPANTS: readonly Column<ServiceParticipant>[] = [
  [
    'Participant',
    ({ id, name, baseUrl }) => (
      <>
        <Named name={name} id={id} />
        <span class="under figure">
          {baseUrl} <CopyButton text={baseUrl} what={`the address of ${id}`} />
        </span>
      </>
    ),
    'name',
  ],
  [
    'Answers requests',
    ({ approval, minimumSegmentSize = 0, universeCoverage, graphCoverage }) => (
      <>
        {APPROVALS[approval]}
        {minimumSegmentSize > 0 && <span class="under">from {formatNumber(minimumSegmentSize)} people on</span>}
        <span class="under">
          reaches {orDash(universeCoverage, formatShare)} of people, knows {orDash(graphCoverage, formatShare)} of keys
        </span>
      </>
    ),
    'text',
  ],
  [
    'Can be reached on',
    ({ deliveryScopes, customDeliveryScopesDetail }) => {
      const labels = new Map(customDeliveryScopesDetail.map(({ label, value }) => [value, label]))
      const named = deliveryScopes.map((scope) => (labels.has(scope) ? `${scope} (${labels.get(scope)})` : scope))
      return <Scopes scopes={named} />
    },
    'text',
  ],
  [
    'Offers',
    ({ features }) =>
      features.map(({ type, signals }) => (
        <div key={type} class="figure">
          {words(type)}{' '}
          <span class="muted">{signals.length > 3 ? count(signals.length, 'signal') : signals.join(', ')}</span>
        </div>
      )),
    'text',
  ],
]

const GROUPS: readonly Column<ServiceGroup>[] = [
  [
    'Group',
    ({ groupId, groupName, description }) => (
      <>
        <Named name={groupName} id={groupId} />
        {description !== '' && <span class="under">{description}</span>}
      </>
    ),
    'name',
  ],
  [
    'Members',
    ({ groupMembers }) =>
      groupMembers.map((id) => (
        <div key={id}>
          <Who id={id} />
        </div>
      )),
    'text',
  ],
  ['Can be reached on', ({ deliveryScopes }) => <Scopes scopes={deliveryScopes} />, 'text'],
  [
    'For',
    ({ features }) => (features.length === 0 ? <span class="muted">nothing</span> : features.map(words).join(', ')),
    'text',
  ],
]

/** The jobs at the service that are waiting for an answer, the clock of the service, and its participants. */
export function NetworkPage() {
  const waiting = useServiceRead('service.jobs.list', { status: 'PENDING_APPROVAL', limit: 20 })
  const people = useRead('service.participants.list', {})
  const groups = useRead('service.groups.list', {})
  const all = <a href={to('/service/jobs')}>All jobs</a>
  return (
    <ServicePage title="Service">
      <Section title="Waiting for an approval" count={waiting.data?.jobs.length} aside={all}>
        <Loaded read={waiting} rows={1}>
          {({ jobs }) => <WaitingJobs jobs={jobs} />}
        </Loaded>
      </Section>
      <ClockSection />
      <Section title="Participants" count={people.data?.participants.length}>
        <Loaded read={people} rows={8}>
          {({ participants }) => (
            <Rows label="Participants" rows={participants} columns={PARTICIPANTS} keyOf={({ id }) => id} />
          )}
        </Loaded>
      </Section>
      <Section title="Groups" count={groups.data?.groups.length}>
        <Loaded read={groups} rows={3}>
          {(data) => (
            <Rows
              label="Groups"
              rows={data.groups}
              columns={GROUPS}
              keyOf={({ groupId }) => groupId}
              empty="This network has no groups."
            />
          )}
        </Loaded>
      </Section>
    </ServicePage>
  )
}
