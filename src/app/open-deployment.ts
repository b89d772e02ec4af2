import { join } from 'node:path'
import { commandToken } from '../adapter/command-token.ts'
import { fileToken } from '../adapter/file-token.ts'
import { sendableToken } from '../adapter/tokens.ts'
import type { GitSettings } from '../config/pipelines-config.ts'
import { releasesFolder } from '../config/settings.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { DeployedPipelines } from '../daemon/deployment/deployed-pipelines.ts'
import { startDeployer } from '../daemon/deployment/deployer.ts'
import { pruneReleases } from '../daemon/deployment/prune-releases.ts'
import { deploymentOf, releaseRules } from '../daemon/deployment/read-release.ts'
import { pipelineReader } from '../daemon/documents/read-pipeline.ts'
import { type GitStore, openGitStore } from '../platform/git/git-store.ts'
import type { State } from '../state/state.ts'
import type { TargetDeps } from './open-target.ts'
import type { TriggerDeps } from './start-triggers.ts'

type GitDeps = Pick<TargetDeps, 'settings' | 'env' | 'secrets' | 'surroundings'>

/** The repository of these settings, with its store in a separate folder. */
export function openGit(deps: GitDeps, folder: string): GitStore {
  const { settings, env, secrets, surroundings } = deps
  const { url, protocol, user, ref, ssh, token } = deploymentOf(settings)
  const isGiven = Object.values(token).some((value) => value !== undefined)
  return openGitStore({
    access: {
      url,
      protocol,
      user,
      ssh,
      token: isGiven ? () => tokenOf(token, deps) : undefined,
    },
    ref,
    folder,
    env,
    clock: surroundings.clock,
    redact: secrets.redact,
  })
}

async function tokenOf(
  { token, tokenEnv, tokenFile, tokenCommand }: GitSettings['token'],
  { settings, env, secrets, surroundings: { clock } }: GitDeps,
): Promise<string> {
  const [program, ...args] = tokenCommand ?? []
  const found =
    token ??
    (tokenFile !== undefined ? await fileToken(tokenFile, clock).get() : undefined) ??
    (program !== undefined ? await commandToken([program, ...args], clock, settings.commands).get() : undefined) ??
    (tokenEnv === undefined ? '' : (env[tokenEnv] ?? ''))
  const sent = sendableToken(found, 'the token of pipelines.git')
  secrets.add(sent)
  return sent
}

/** Starts deploying. Call it only in the process that has this duty. */
export function startDeployments(
  deps: GitDeps & {
    state: State
    pipelines: DeployedPipelines
    clock: SteadyClock
    log: TriggerDeps['log']
  },
): { stop(): Promise<void> } {
  const { settings, surroundings, state, pipelines } = deps
  const releases = releasesFolder(settings)
  const { signedBy, everyMs } = deploymentOf(settings)
  return startDeployer({
    releases,
    signedBy,
    everyMs,
    store: openGit(deps, join(settings.state, 'deployment')),
    rules: releaseRules(settings, pipelineReader(settings)),
    deployments: state.deployments,
    clock: deps.clock,
    random: surroundings.random,
    log: deps.log,
    inUse: pipelines.release,
    deployed: pipelines.use,
    prune: () => pruneReleases(releases, { deployments: state.deployments, runs: state.runs }),
  })
}
