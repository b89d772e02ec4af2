import { useRead } from '../../api/use-read.ts'
import { to } from '../../router/location.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { ClockSection } from './clock-section.tsx'
import { GroupTable } from './group-table.tsx'
import { JobTable } from './job-table.tsx'
import { ParticipantTable } from './participant-table.tsx'
import { ServicePage } from './service-page.tsx'
import { useServiceRead } from './use-service-read.ts'

/** What waits for an answer at the service, its time, and who is there. */
export function NetworkPage() {
  const waiting = useServiceRead('/service/jobs', { status: 'PENDING_APPROVAL', limit: 20 })
  const participants = useRead('/service/participants', {})
  const groups = useRead('/service/groups', {})
  return (
    <ServicePage title="Service">
      <Section
        title="Waiting for an approval"
        count={waiting.data?.jobs.length}
        aside={<a href={to('/service/jobs')}>All jobs</a>}
      >
        <Loaded read={waiting} rows={1}>
          {({ jobs }) => (
            <JobTable jobs={jobs} reload={waiting.reload} empty="No job waits for the approval of a participant." />
          )}
        </Loaded>
      </Section>
      <ClockSection />
      <Section title="Participants" count={participants.data?.participants.length}>
        <Loaded read={participants} rows={8}>
          {(data) => <ParticipantTable participants={data.participants} />}
        </Loaded>
      </Section>
      <Section title="Groups" count={groups.data?.groups.length}>
        <Loaded read={groups} rows={3}>
          {(data) => <GroupTable groups={data.groups} />}
        </Loaded>
      </Section>
    </ServicePage>
  )
}
