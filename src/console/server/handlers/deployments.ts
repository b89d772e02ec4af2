import {
  askForLook,
  type DeployParts,
  deploymentNamed,
  pauseDeployments,
  resumeDeployments,
  rollBack,
} from '../../../acts/deploy.ts'
import { releasesFolder } from '../../../config/settings.ts'
import { shortCommit } from '../../../core/format/short-commit.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { type DeploymentItem, deploymentList, deploymentReport } from '../../../status/deployment-report.ts'
import { ApiFailure } from '../api-failure.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { releaseChanges } from '../release-changes.ts'

const MOST_LISTED = 50
/** How many deployments are searched for a commit. */
const MOST_KNOWN = 1000
const LISTED_BY = 'GET /deployment lists them'

export const deploymentHandlers = {
  'deployment.get': async ({ settings, state }) => ({
    ...(await deploymentReport(settings, state.deployments)),
    deployments: await deploymentList(settings, state.deployments, MOST_LISTED),
  }),

  /** Compares the deployment of a commit with the previous deployment, or with another one. */
  'deployment.changes': async ({ settings, state }, input, { turn }) => {
    const list = await deploymentList(settings, state.deployments, MOST_KNOWN)
    const one = deploymentNamed(input.commit, list, LISTED_BY)
    const earlier = list.slice(list.indexOf(one) + 1).find(({ commit }) => commit !== one.commit)
    const against = input.against === undefined ? earlier : deploymentNamed(input.against, list, LISTED_BY)
    const found = await releaseChanges(releasesFolder(settings), { commit: one.commit, before: against?.commit }, turn)
    if (found) return { commit: itemOf(one), against: against && itemOf(against), ...found }
    const gone = [one, ...(against ? [against] : [])]
      .filter(({ kept }) => !kept)
      .map(({ commit }) => shortCommit(commit))
    throw new ApiFailure(
      404,
      'release-not-kept',
      `the release of ${gone.join(' and ')} is no longer kept`,
      'only the last ten releases and the releases of unfinished runs are kept; git has the others',
    )
  },

  'deployment.rollback': async (deps, { commit }, { actor }) => {
    const { to, skips } = await rollBack(commit, actor, {
      ...partsOf(deps),
      read: deps.readDocument,
    })
    return { commit: to.commit, skips }
  },

  'deployment.pause': async (deps, _input, { actor }) => {
    const { pausedAt } = await pauseDeployments(actor, partsOf(deps))
    return { pausedSince: isoTime(pausedAt) }
  },

  'deployment.resume': (deps, _input, { actor }) => resumeDeployments(actor, partsOf(deps)),

  'deployment.look': async (deps, _input, { actor }) => {
    await askForLook(actor, partsOf(deps))
    return {}
  },
} satisfies Partial<ApiHandlers>

type Listed = Awaited<ReturnType<typeof deploymentList>>[number]

function itemOf({ kept: _kept, ...item }: Listed): DeploymentItem {
  return item
}

function partsOf({ settings, state, clock }: ConsoleDeps): DeployParts {
  return { settings, deployments: state.deployments, clock }
}
