import type { Settings } from '../config/settings.ts'
import { releasesFolder } from '../config/settings.ts'
import type { Clock } from '../core/clock.ts'
import { type AudienceError, invalidError, usageError } from '../core/errors.ts'
import { shortCommit } from '../core/format/short-commit.ts'
import type { Actor } from '../core/run.ts'
import { problemLine } from '../daemon/deployment/describe-problem.ts'
import { deploymentOf, readRelease, releaseRules } from '../daemon/deployment/read-release.ts'
import { readManifest, releaseFolder } from '../daemon/deployment/release-folder.ts'
import type { ReadDocument } from '../daemon/documents/live-documents.ts'
import type { Deployment, Deployments } from '../state/deployments.ts'

const MOST_LISTED = 1000
const MOST_SHOWN = 5

/** The dependencies of the acts on deployments. */
export interface DeployParts {
  readonly deployments: Deployments
  readonly settings: Settings
  readonly clock: Clock
}

/**
 * Goes back to a commit whose release is kept, if the current rules allow it. The commit that is at the remote now will
 * be skipped.
 */
export async function rollBack(
  name: string,
  actor: Actor,
  { deployments, settings, clock, read }: DeployParts & { read: ReadDocument },
): Promise<{ readonly to: Deployment; readonly skips: string | undefined }> {
  const rules = releaseRules(settings, read)
  const [current, ...earlier] = await deployments.list(MOST_LISTED)
  const releases = releasesFolder(settings)
  if (!current) throw unknownCommit(name, 0)
  const to = deploymentNamed(name, [current, ...earlier])
  if (to.commit === current.commit) throw inUse(to.commit)
  const manifest = readManifest(releases, to.commit)
  if (!manifest) throw notKept(to.commit)
  const folder = releaseFolder(releases, to.commit)
  const found = await readRelease({ commit: to.commit, folder, files: manifest.files, before: undefined }, rules)
  if ('problems' in found) throw notAllowed(to.commit, found.problems.slice(0, MOST_SHOWN).map(problemLine))
  const skips = (await deployments.standing()).look?.commit ?? current.commit
  const { id: _id, act: _act, by: _by, comment: _comment, ...facts } = to
  const isDone = await deployments.rollBack(
    { ...facts, at: clock.now(), pipelines: found.release.documents.size },
    { after: current.id, skips: skips === to.commit ? undefined : skips },
    actor,
  )
  if (!isDone) throw meanwhile()
  return { to, skips: skips === to.commit ? undefined : skips }
}

/**
 * The newest deployment of the only commit that begins with `name`, which has four digits or more. Throws
 * `unknown-commit` if no commit, or more than one, begins with it.
 */
export function deploymentNamed<One extends { readonly commit: string }>(
  name: string,
  deployments: readonly One[],
  hint?: string,
): One {
  const named = deployments.filter(({ commit }) => commit.startsWith(name.toLowerCase()))
  const commits = new Set(named.map(({ commit }) => commit))
  const [newest] = named
  if (!newest || commits.size > 1 || name.length < 4) throw unknownCommit(name, commits.size, hint)
  return newest
}

/** Pauses deployments until somebody resumes them. Returns the start of the pause. */
export async function pauseDeployments(
  actor: Actor,
  { deployments, settings, clock }: DeployParts,
): Promise<{ readonly pausedAt: number }> {
  deploymentOf(settings)
  const pausedAt = clock.now()
  await deployments.pause(pausedAt, actor)
  return { pausedAt }
}

/** Resumes deployments: new commits are deployed again. */
export async function resumeDeployments(
  actor: Actor,
  { deployments, settings }: DeployParts,
): Promise<{ readonly wasPaused: boolean }> {
  deploymentOf(settings)
  return { wasPaused: await deployments.resume(actor) }
}

/** Asks the keeper to check the repository now, even if it has already refused the commit there. */
export async function askForLook(actor: Actor, { deployments, settings, clock }: DeployParts): Promise<void> {
  deploymentOf(settings)
  await deployments.ask(clock.now(), actor)
}

const unknownCommit = (
  name: string,
  found: number,
  hint = '`audience deploy list` shows them; give four digits or more',
) =>
  usageError(
    'unknown-commit',
    found > 1 ? `several commits begin with ${name}` : `no deployed commit begins with ${name}`,
    hint,
  )
const inUse = (commit: string) =>
  usageError(
    'commit-in-use',
    `${shortCommit(commit)} is already in use`,
    '`audience deploy list` shows the earlier commits',
  )
const notKept = (commit: string) =>
  usageError(
    'release-not-kept',
    `the release of ${shortCommit(commit)} is no longer kept`,
    'only the last ten releases and the releases of unfinished runs are kept; set the branch back to this commit in git instead',
  )
const meanwhile = () =>
  usageError(
    'deployed-meanwhile',
    'another commit was deployed at the same moment',
    'look at `audience deploy status`, then try again',
  )

function notAllowed(commit: string, lines: readonly string[]): AudienceError {
  return invalidError(
    'deploy-invalid',
    `${shortCommit(commit)} is not valid under the current configuration: ${lines.join('; ')}`,
    'change audience.yaml, or go back to another commit',
  )
}
