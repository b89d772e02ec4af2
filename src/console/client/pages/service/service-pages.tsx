import { NotFoundPage } from '../not-found-page.tsx'
import { FaultsPage } from './faults-page.tsx'
import { JobsPage } from './jobs.tsx'
import { ActivationsPage, MatchesPage, SegmentsPage } from './made-pages.tsx'
import { NetworkPage } from './network-page.tsx'
import { RequestsPage } from './requests-page.tsx'

const PAGES: Readonly<Record<string, typeof NetworkPage>> = {
  '': NetworkPage,
  jobs: JobsPage,
  segments: SegmentsPage,
  matches: MatchesPage,
  activations: ActivationsPage,
  requests: RequestsPage,
  faults: FaultsPage,
}

/** A page below `/service`. */
export function ServicePages({ view }: { view: string }) {
  const Shown = Object.hasOwn(PAGES, view) ? PAGES[view] : undefined
  return Shown ? <Shown /> : <NotFoundPage path={`/service/${view}`} />
}
