import type { Logger } from 'pino'
import type { AudienceError } from '../../core/errors.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import type { Deployment, DeployOrders, LostRelease } from '../../state/deployments.ts'
import { problemLine } from './describe-problem.ts'
import { isErrorOf, type PrepareCommitDeps, prepareCommit, type RefusedCommit } from './prepare-commit.ts'
import type { Release } from './read-release.ts'
import { readManifest } from './release-folder.ts'

export interface RestoreDeps extends PrepareCommitDeps {
  log: Pick<Logger, 'info' | 'error'>
  inUse: () => Release | undefined
  /** Called when the release of the deployment with this number is available here again. */
  deployed: (id: number, release: Release) => void
}

/**
 * Returns a function that refetches the release in use if its files are gone, such as after a restore of the state. The
 * function resolves to the reason if that fails. It does not need to check the branch, so it also works while
 * deployments are paused or rolled back.
 */
export function createRestore(
  deps: RestoreDeps,
): (standing: { current: Deployment | undefined; orders: DeployOrders }) => Promise<LostRelease | undefined> {
  const { releases, log } = deps
  let lost: LostRelease | undefined
  /** The rules of this process do not change, so a commit that they refuse is fetched again only if somebody asks. */
  let refusedWhen: { readonly askedAt: number | undefined } | undefined

  async function triedAgain({ id, commit }: Deployment): Promise<LostRelease | undefined> {
    refusedWhen = undefined
    try {
      const prepared = await prepareCommit(commit, deps.inUse(), deps)
      if ('problems' in prepared) return { commit, ...whyRefused(prepared) }
      prepared.place()
      log.info({ commit }, `the files of ${shortCommit(commit)} were gone, and have been fetched again`)
      deps.deployed(id, prepared.release)
      return undefined
    } catch (error) {
      if (!isErrorOf(error, 'git-')) throw error
      return { commit, ...errorFacts(error) }
    }
  }

  return async ({ current, orders: { askedAt } }) => {
    if (!current || readManifest(releases, current.commit)) return undefined
    if (lost?.commit === current.commit && refusedWhen && refusedWhen.askedAt === askedAt) return lost
    const before = lost
    lost = await triedAgain(current)
    if (lost && !lost.code.startsWith('git-')) refusedWhen = { askedAt }
    if (lost && lost.message !== before?.message)
      log.error({ releases, code: lost.code, error: lost.message }, `the files of ${shortCommit(lost.commit)} are gone`)
    return lost
  }
}

const MOST_TOLD = 5

function whyRefused({ error, problems }: RefusedCommit) {
  if (error) return errorFacts(error)
  const message = problems.slice(0, MOST_TOLD).map(problemLine).join('; ')
  return { code: 'deploy-invalid', message, hint: 'change audience.yaml so that the commit is valid again' }
}

/** What is recorded about an error. */
export function errorFacts({ code, message, hint }: AudienceError) {
  return { code, message, hint }
}
