import type { GitSettings } from '../config/pipelines-config.ts'
import { releasesFolder, type Settings } from '../config/settings.ts'
import { isoTime } from '../core/iso-time.ts'
import { type DeploymentState, deploymentState } from '../daemon/deployment/deployment-state.ts'
import { deploymentOf } from '../daemon/deployment/read-release.ts'
import { keptReleases, readManifest, releaseFolder } from '../daemon/deployment/release-folder.ts'
import type { Deployment, Deployments, DeployOrders, LostRelease, RepositoryLook } from '../state/deployments.ts'

/** Which commit is in use, and how the remote repository differs from it. Times are strings. */
export interface DeploymentReport extends Pick<GitSettings, 'url' | 'ref' | 'path'> {
  readonly state: DeploymentState | 'unknown'
  readonly deployed: DeploymentItem | undefined
  /** The folder of the release in use, if its files are gone, and why they could not be fetched again. */
  readonly missing: ({ readonly folder: string } & Partial<Omit<LostRelease, 'commit'>>) | undefined
  /** What the latest check found. */
  readonly remote: TimesAsText<Omit<RepositoryLook, 'told' | 'lost'>, 'since' | 'lookedAt' | 'committedAt'> | undefined
  readonly paused: TimesAsText<NonNullable<DeployOrders['paused']>, 'at'> | undefined
  readonly skipped: string | undefined
}

export type DeploymentItem = TimesAsText<Omit<Deployment, 'id'>, 'at' | 'committedAt'>

type TimesAsText<T, Names extends keyof T> = {
  readonly [Name in keyof T]: Name extends Names ? string | Extract<T[Name], undefined> : T[Name]
}

/** Throws `no-deployment` if the pipelines are in a folder. */
export async function deploymentReport(
  settings: Pick<Settings, 'deployment' | 'shared'>,
  deployments: Pick<Deployments, 'standing'>,
): Promise<DeploymentReport> {
  const { url, ref, path } = deploymentOf(settings)
  const standing = await deployments.standing()
  const { current, look, orders } = standing
  return {
    state: deploymentState(standing) ?? 'unknown',
    url,
    ref,
    path,
    deployed: current && deploymentItem(current),
    missing: current && missingRelease(current.commit, releasesFolder(settings), look?.lost),
    remote: look && lookItem(look),
    paused: orders.paused && { ...orders.paused, at: isoTime(orders.paused.at) },
    skipped: orders.skipped,
  }
}

/** The deployments, newest first, and whether it is possible to go back to each. Throws `no-deployment`. */
export async function deploymentList(
  settings: Pick<Settings, 'deployment' | 'shared' | 'pipelines'>,
  deployments: Pick<Deployments, 'list'>,
  limit: number,
): Promise<readonly (DeploymentItem & { readonly kept: boolean })[]> {
  deploymentOf(settings)
  const kept = new Set(keptReleases(releasesFolder(settings)))
  return (await deployments.list(limit)).map((one) => ({ ...deploymentItem(one), kept: kept.has(one.commit) }))
}

function missingRelease(commit: string, releases: string, lost: LostRelease | undefined): DeploymentReport['missing'] {
  if (readManifest(releases, commit)) return undefined
  const { commit: its, ...why } = lost ?? {}
  return { folder: releaseFolder(releases, commit), ...(its === commit ? why : {}) }
}

function lookItem({ told: _told, lost: _lost, since, lookedAt, committedAt, ...look }: RepositoryLook) {
  return { ...look, since: isoTime(since), lookedAt: isoTime(lookedAt), committedAt: isoTime(committedAt) }
}

function deploymentItem({ id: _id, at, committedAt, ...its }: Deployment): DeploymentItem {
  return { ...its, at: isoTime(at), committedAt: isoTime(committedAt) }
}
