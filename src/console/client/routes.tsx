import type { ComponentChildren } from 'preact'
import { readPath } from '../../http/operation.ts'
import { ComparePage } from './pages/compare/compare-page.tsx'
import { ChangesPage } from './pages/deployment/changes-page.tsx'
import { DeploymentPage } from './pages/deployment/deployment-page.tsx'
import { FilesPage } from './pages/files/files-page.tsx'
import { HomePage } from './pages/home/home-page.tsx'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { PipelinePage } from './pages/pipeline/pipeline-page.tsx'
import { PipelinesPage } from './pages/pipelines/pipelines-page.tsx'
import { RunPage } from './pages/run/run-page.tsx'
import { RunFormPage } from './pages/run-form/run-form-page.tsx'
import { RunsPage } from './pages/runs/runs-page.tsx'
import { SchedulesPage } from './pages/schedules/schedules-page.tsx'
import { ServiceRoute } from './pages/service/service-route.tsx'
import { SystemPage } from './pages/system/system-page.tsx'
import { place } from './router/location.ts'

type Parts = Readonly<Record<string, string>>

/** Every page by its path. A path with different parts is a new page, so nothing remains from the previous page. */
const ROUTES: readonly (readonly [pattern: string, page: (parts: Parts) => ComponentChildren])[] = [
  ['/', () => <HomePage />],
  ['/runs', () => <RunsPage />],
  ['/runs/{runId}', ({ runId = '' }) => <RunPage key={runId} runId={runId} />],
  [
    '/runs/{runId}/compare/{other}',
    ({ runId = '', other = '' }) => <ComparePage key={runId + other} runId={runId} other={other} />,
  ],
  ['/pipelines', () => <PipelinesPage />],
  ['/pipelines/{name}', ({ name = '' }) => <PipelinePage key={name} name={name} />],
  ['/pipelines/{name}/run', ({ name = '' }) => <RunFormPage key={name} name={name} />],
  ['/schedules', () => <SchedulesPage />],
  ['/files', () => <FilesPage />],
  ['/deployment', () => <DeploymentPage />],
  ['/deployment/{commit}', ({ commit = '' }) => <ChangesPage key={commit} commit={commit} />],
  ['/service', () => <ServiceRoute view="" />],
  ['/service/{view}', ({ view = '' }) => <ServiceRoute key={view} view={view} />],
  ['/system', () => <SystemPage />],
]

export function RoutedPage() {
  const path = place.value.path.replace(/(?<=.)\/$/, '')
  for (const [pattern, page] of ROUTES) {
    const parts = readPath(pattern, path)
    if (parts) return page(parts)
  }
  return <NotFoundPage path={path} />
}
