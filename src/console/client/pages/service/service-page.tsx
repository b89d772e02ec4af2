import { useEffect } from 'preact/hooks'
import type { ApiAnswerOf, ApiInputOf } from '../../../api/operations.ts'
import type { ReadId } from '../../api/types.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { connection } from '../../live/shared-stream.ts'
import { place, to } from '../../router/location.ts'
import { Page, type PageProps } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { besideText } from './beside-text.ts'
import { network } from './who.tsx'

const VIEWS = [
  ['', 'Network'],
  ['/jobs', 'Jobs'],
  ['/segments', 'Segments'],
  ['/matches', 'Matches'],
  ['/activations', 'Activations'],
  ['/requests', 'Requests'],
  ['/faults', 'Faults'],
] as const

/** A page of the embedded service, with its title, the time at the service, and links to the other pages. */
export function ServicePage({ children, ...page }: Omit<PageProps, 'lead'>) {
  const participants = useRead('service.participants.list', {})
  const groups = useRead('service.groups.list', {})
  useEffect(() => {
    network.value = { participants: participants.data?.participants ?? [], groups: groups.data?.groups ?? [] }
  }, [participants.data, groups.data])
  const here = place.value.path.replace(/\/$/, '')
  return (
    <Page {...page} lead={<ServiceTime />}>
      <nav class="tabs" aria-label="Service">
        {VIEWS.map(([path, text]) => (
          <a key={path} href={to(`/service${path}`)} aria-current={here === `/service${path}` ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {children}
    </Page>
  )
}

/** The time at the service. All times on the pages of the service follow this clock. */
function ServiceTime() {
  const { data } = useServiceRead('service.clock.get', {})
  if (!data) return <span>The embedded service</span>
  if (!data.frozen) return <span>The clock of the service: {besideText(data.offsetMs)}</span>
  return (
    <span>
      The clock of the service <span class="chip wait">stands still</span> at <Time at={data.now} withZone />
    </span>
  )
}

const EVERY_MS = 2000

/**
 * Reads from the embedded service. Reads again regularly while the page is visible, because the service does not report
 * changes.
 */
export function useServiceRead<Id extends Extract<ReadId, `service.${string}`>>(
  id: Id,
  input: ApiInputOf<Id>,
): Read<ApiAnswerOf<Id>> {
  const read = useRead(id, input)
  useEffect(() => {
    const timer = setInterval(() => {
      // After a lost connection, everything is read again anyway.
      if (!document.hidden && connection.peek().state !== 'lost') read.reload()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return read
}
