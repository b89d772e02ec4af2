import type { ServiceJob } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { Facts } from '../../ui/facts.tsx'
import { Scopes } from './scopes.tsx'
import { JobStatus } from './service-status.tsx'
import { Who } from './who.tsx'

/** What a job is about: who asked whom for what. */
export function JobFacts({ job }: { readonly job: ServiceJob }) {
  const { participant, kind, status, held, segmentId, matchId, activationId } = job
  const { data } = useRead(matchId === undefined ? undefined : '/service/matches', { limit: 1000 })
  const match = data?.matches.find(({ id }) => id === matchId)
  const partner = match?.approver ?? match?.groupId
  return (
    <Facts
      items={[
        ['Operation', kind],
        ['Status', <JobStatus status={status} held={held} />],
        ['Asked by', <Who id={participant} />],
        ['Partner', partner !== undefined && <Who id={partner} />],
        ['Segment', <span class="figure break">{segmentId}</span>],
        ['Its name', match?.segmentName !== '' && match?.segmentName],
        ['Match', matchId],
        ['Activation', activationId],
        ['Reached on', match && <Scopes scopes={match.deliveryScopes} />],
      ]}
    />
  )
}
