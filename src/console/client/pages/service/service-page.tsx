import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useRead } from '../../api/use-read.ts'
import { place, to } from '../../router/location.ts'
import { Page } from '../../ui/page.tsx'
import { network } from './network.ts'
import { ServiceTime } from './service-time.tsx'

const VIEWS = [
  ['', 'Network'],
  ['/jobs', 'Jobs'],
  ['/segments', 'Segments'],
  ['/matches', 'Matches'],
  ['/activations', 'Activations'],
  ['/requests', 'Requests'],
  ['/faults', 'Faults'],
] as const

/** A page of the embedded service: its title, the time there, and the ways to the others. */
export function ServicePage({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const participants = useRead('/service/participants', {})
  const groups = useRead('/service/groups', {})
  useEffect(() => {
    network.value = { participants: participants.data?.participants ?? [], groups: groups.data?.groups ?? [] }
  }, [participants.data, groups.data])
  const here = place.value.path.replace(/\/$/, '')
  return (
    <Page title={title} lead={<ServiceTime />} actions={actions}>
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
