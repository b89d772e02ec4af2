import type { DeployStanding } from '../../state/deployments.ts'

export const DEPLOYMENT_STATES = ['current', 'refused', 'unreachable', 'ref-gone', 'paused', 'rolledBack'] as const
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number]

/** How the remote repository differs from what is in use; undefined before the first check. */
export function deploymentState({
  look,
  orders: { paused, skipped },
}: Pick<DeployStanding, 'look' | 'orders'>): DeploymentState | undefined {
  if (paused) return 'paused'
  if (look?.state === 'current' && skipped !== undefined && skipped === look.commit) return 'rolledBack'
  return look?.state
}
