import type { IconName } from '../ui/icon.tsx'

interface MenuPage {
  readonly path: string
  readonly icon: IconName
  readonly text: string
  /** The key that opens the page when it is pressed after `g`. */
  readonly key: string
  /** The name of the page in the list of keys. */
  readonly about: string
}

/** The pages in the menu. */
export const PAGES: readonly MenuPage[] = [
  { path: '/', icon: 'home', text: 'Needs you', key: 'n', about: 'what needs you' },
  { path: '/runs', icon: 'runs', text: 'Runs', key: 'r', about: 'runs' },
  { path: '/pipelines', icon: 'pipelines', text: 'Pipelines', key: 'p', about: 'pipelines' },
  { path: '/schedules', icon: 'schedules', text: 'Schedules', key: 's', about: 'schedules' },
  { path: '/files', icon: 'files', text: 'Files', key: 'f', about: 'files' },
  { path: '/deployment', icon: 'deployment', text: 'Deployment', key: 'd', about: 'deployment' },
  { path: '/service', icon: 'service', text: 'Service', key: 'v', about: 'the embedded service' },
  { path: '/system', icon: 'system', text: 'System', key: 'y', about: 'system' },
]
