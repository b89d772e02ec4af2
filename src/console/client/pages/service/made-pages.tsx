import { Fragment } from 'preact'
import { count, formatShare } from '../../../../core/format/figures.ts'
import type { ServiceActivation, ServiceJob, ServiceMatch, ServiceSegment } from '../../api/types.ts'
import type { Column } from '../../ui/table.tsx'
import { JobActs } from './jobs.tsx'
import { MOST_ROWS, ServiceListPage } from './newest-rows.tsx'
import { useServiceRead } from './service-page.tsx'
import { ServiceStatus } from './service-status.tsx'
import { Between, Named, Scopes, Who } from './who.tsx'

const SEGMENTS: readonly Column<ServiceSegment>[] = [
  ['Segment', ({ segmentName, id }) => <Named name={segmentName} id={id} />, 'name'],
  ['Status', ({ state }) => <ServiceStatus status={state} />],
  ['People', ({ state, members }) => (state === 'live' ? count(members, 'person', 'people') : '–'), 'right figure'],
  ['Owner', ({ owner }) => <Who id={owner} />],
  ['The owner’s id for it', ({ participantSegmentId }) => participantSegmentId, 'text'],
  [
    'Made of',
    ({ segmentFileName, uploadSignal, resultContent, providerId }) => (
      <>
        <bdi>{segmentFileName}</bdi>
        <span class="under">
          {uploadSignal} to {resultContent}
          {providerId !== undefined && `, by ${providerId}`}
        </span>
      </>
    ),
    'text',
  ],
]

/** The segments of all participants. */
export function SegmentsPage() {
  return (
    <ServiceListPage
      label="Segments"
      read={useServiceRead('service.segments.list', { limit: MOST_ROWS })}
      rowsOf={({ segments }) => segments}
      keyOf={({ id }) => id}
      columns={SEGMENTS}
      empty="There are no segments yet. Runs create them."
    />
  )
}

const ACTIVATIONS: readonly Column<ServiceActivation>[] = [
  ['Activation', ({ id }) => id, 'right figure'],
  ['Status', ({ status }) => <ServiceStatus status={status} />],
  ['Name', (activation) => <ActivationName activation={activation} />, 'name'],
  ['Asked by', ({ requester, approver }) => <Between requester={requester} partner={approver} />, 'text'],
  [
    'Made of',
    ({ matchId, segmentId }) => (
      <>
        <span class="under figure">match {matchId}</span>
        <span class="under figure">segment {segmentId}</span>
      </>
    ),
    'text',
  ],
  ['Reached on', ({ deliveryScopes }) => <Scopes scopes={deliveryScopes} />, 'text'],
]

function ActivationName({ activation }: { activation: ServiceActivation }) {
  const { activationName, campaign, agency, brand, campaignStartDate, campaignEndDate, refreshRate } = activation
  const about = [campaign, brand, agency].filter(Boolean).join(', ')
  const dates = [campaignStartDate, campaignEndDate].filter(Boolean).join(' to ')
  return (
    <>
      <bdi>{activationName}</bdi>
      <span class="under">
        {refreshRate === 0 ? 'never refreshed' : `refreshed every ${count(refreshRate, 'day')}`}
      </span>
      {about !== '' && <span class="under">{about}</span>}
      {dates !== '' && <span class="under">{dates}</span>}
    </>
  )
}

/** The activations of all participants. */
export function ActivationsPage() {
  return (
    <ServiceListPage
      label="Activations"
      read={useServiceRead('service.activations.list', { limit: MOST_ROWS })}
      rowsOf={({ activations }) => activations}
      keyOf={({ id }) => id}
      columns={ACTIVATIONS}
      empty="There are no activations yet. Runs create them."
    />
  )
}

function matchColumns(jobs: readonly ServiceJob[]): readonly Column<ServiceMatch>[] {
  return [
    ['Match', ({ id }) => id, 'right figure'],
    [
      'Status',
      ({ id, status }) => (
        <>
          <ServiceStatus status={status} />
          {jobs
            .filter(({ matchId }) => matchId === id)
            .map((job) => (
              <Fragment key={job.id}>
                <span class="under">
                  job {job.id}
                  {job.held && ', held'}
                </span>
                <JobActs job={job} />
              </Fragment>
            ))}
        </>
      ),
      'text',
    ],
    [
      'People in both',
      ({ status, matchCount, shaveOffPercent, controlHoldoutPercent }) => (
        <>
          <span class="figure">{status === 'FINISHED' ? count(matchCount, 'person', 'people') : '–'}</span>
          {shaveOffPercent !== undefined && <span class="under">{formatShare(shaveOffPercent / 100)} shaved off</span>}
          {controlHoldoutPercent !== undefined && (
            <span class="under">{formatShare(controlHoldoutPercent / 100)} control</span>
          )}
        </>
      ),
      'right',
    ],
    ['Segment', ({ segmentId, segmentName }) => <Named name={segmentName} id={segmentId} />, 'name'],
    [
      'Asked by',
      ({ requester, approver, groupId }) => <Between requester={requester} partner={approver ?? groupId} />,
      'text',
    ],
    ['Reached on', ({ deliveryScopes }) => <Scopes scopes={deliveryScopes} />, 'text'],
  ]
}

/** The matches of all participants. While a match is in progress, it has the actions of its job. */
export function MatchesPage() {
  const active = useServiceRead('service.jobs.list', { active: true, limit: MOST_ROWS })
  // The job of an activation also has the id of the match.
  const jobs = active.data?.jobs.filter(({ kind }) => kind.startsWith('matches.')) ?? []
  return (
    <ServiceListPage
      label="Matches"
      read={useServiceRead('service.matches.list', { limit: MOST_ROWS })}
      rowsOf={({ matches }) => matches}
      keyOf={({ id }) => id}
      columns={matchColumns(jobs)}
      empty="There are no matches yet. Runs create them."
    />
  )
}
