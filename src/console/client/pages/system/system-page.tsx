import { count } from '../../../../core/format/figures.ts'
import type { Me } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { to } from '../../router/location.ts'
import { me } from '../../shell/me.ts'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { AuditTable } from './audit-table.tsx'
import { Checks } from './checks.tsx'
import { WorkerTable } from './worker-table.tsx'

/** What keeps audience start from its work, who works, and who did what. */
export function SystemPage() {
  const read = useRead('/workers', {}, ({ kind }) => kind === 'beat' || kind === 'pipelines')
  const who = me.value
  return (
    <Page title="System">
      <Loaded read={read} rows={8}>
        {(system) => (
          <>
            <Checks system={system} />
            <Section title="Workers" count={system.workers.length}>
              <WorkerTable workers={system.workers} />
            </Section>
            <Section title="Notifications">
              <Facts
                items={[
                  ['On their way', count(system.notifications.pending, 'message')],
                  ['Given up', count(system.notifications.failed, 'message')],
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

function ServiceLink({ who: { service, synthetic } }: { readonly who: Me }) {
  return (
    <>
      {service}
      <span class="under">
        <a href={to('/service')}>{synthetic ? 'Look into it' : 'Why it has no pages here'}</a>
      </span>
    </>
  )
}
