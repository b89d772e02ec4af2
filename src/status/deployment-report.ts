import type { GitSettings } from '../config/pipelines-config.ts'
import { releasesFolder, type Settings } from '../config/settings.ts'
import { isoTime } from '../core/iso-time.ts'
import { type DeploymentState, deploymentState } from '../daemon/deployment/deployment-state.ts'
import { keptReleases } from '../daemon/deployment/release-folder.ts'
import { deploymentOf } from '../daemon/deployment/release-rules.ts'
import type { Deployment, Deployments, DeployOrders, RemoteLook } from '../state/deployments.ts'

/** Which commit is in use, and how the remote repository differs from it. Times are texts. */
export interface DeploymentReport extends Pick<GitSettings, 'url' | 'ref' | 'path'> {
  readonly state: DeploymentState | 'unknown'
  readonly deployed: DeploymentItem | undefined
  /** What the newest look found. */
  readonly remote: TimesAsText<Omit<RemoteLook, 'told'>, 'since' | 'lookedAt' | 'committedAt'> | undefined
  readonly paused: TimesAsText<NonNullable<DeployOrders['paused']>, 'at'> | undefined
  readonly skipped: string | undefined
}

export type DeploymentItem = TimesAsText<Omit<Deployment, 'id'>, 'at' | 'committedAt'>

type TimesAsText<T, Names extends keyof T> = {
  readonly [Name in keyof T]: Name extends Names ? string | Extract<T[Name], undefined> : T[Name]
}

/** Throws `no-deployment` if the pipelines are in a folder. */
export async function deploymentReport(
  settings: Pick<Settings, 'deployment'>,
  deployments: Pick<Deployments, 'standing'>,
): Promise<DeploymentReport> {
  const { url, ref, path } = deploymentOf(settings)
  const standing = await deployments.standing()
  const { current, look, orders } = standing
  return {
    ...{ state: deploymentState(standing) ?? 'unknown', url, ref, path },
    deployed: current && deploymentItem(current),
    remote: look && lookItem(look),
    paused: orders.paused && { ...orders.paused, at: isoTime(orders.paused.at) },
    skipped: orders.skipped,
  }
}

/** The deployments, newest first, and whether one can go back to each. Throws `no-deployment`. */
export async function deploymentList(
  settings: Pick<Settings, 'deployment' | 'shared' | 'pipelines'>,
  deployments: Pick<Deployments, 'list'>,
  limit: number,
): Promise<readonly (DeploymentItem & { readonly kept: boolean })[]> {
  deploymentOf(settings)
  const kept = new Set(keptReleases(releasesFolder(settings)))
  return (await deployments.list(limit)).map((one) => ({ ...deploymentItem(one), kept: kept.has(one.commit) }))
}

function lookItem({ told: _told, since, lookedAt, committedAt, ...look }: RemoteLook) {
  return { ...look, since: isoTime(since), lookedAt: isoTime(lookedAt), committedAt: isoTime(committedAt) }
}

function deploymentItem({ id: _id, at, committedAt, ...its }: Deployment): DeploymentItem {
  return { ...its, at: isoTime(at), committedAt: isoTime(committedAt) }
}
