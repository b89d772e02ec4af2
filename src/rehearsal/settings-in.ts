import type { Settings } from '../config/settings.ts'
import type { Project } from './project.ts'

/** The settings of a project, except for its service and its state. */
export function settingsIn({
  project,
  state,
  service,
}: {
  readonly project: Pick<Project, 'settings'>
  readonly state: string
  readonly service: { readonly url: string; readonly token: string }
}): Settings {
  const { database: _, heartbeats: __, ...own } = project.settings
  const { url: baseUrl, token } = service
  return {
    ...own,
    ...{ state, shared: state },
    // If several processes prepared lists, which one comes first would vary.
    lists: { ...own.lists, atOnce: 1 },
    service: { kind: 'remote', baseUrl },
    profileService: { kind: 'remote', baseUrl },
    profile: { ...(own.profile.limits && { limits: own.profile.limits }), baseUrl, token },
  }
}
