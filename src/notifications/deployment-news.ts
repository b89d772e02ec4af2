import type { Notification } from '../core/notification.ts'
import type { DeploymentNews } from '../state/deployments.ts'

/** A commit is refused, or the repository is not reached for long; or all is well again. */
export function deploymentTold({ what, at, title, details, error, key }: DeploymentNews): Notification {
  return {
    key: `deployment/${key}`,
    event: what === 'recovered' ? 'recovery' : 'deployment',
    ends: what === 'recovered' ? 'deployment' : undefined,
    at,
    pipeline: '',
    page: '',
    title,
    error,
    details,
    next: what === 'recovered' ? ['audience deploy list'] : ['audience deploy status', 'audience deploy check'],
  }
}
