import { askForLook, type DeployParts, pauseDeployments, resumeDeployments, rollBack } from '../../acts/deploy.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import type { Actor } from '../../core/run.ts'
import { deploymentOf } from '../../daemon/deployment/read-release.ts'
import { pipelineReader } from '../../daemon/documents/read-pipeline.ts'
import { settingsOf } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'

/** Goes back to an earlier commit. */
export async function deployRollback(commit: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const { to, skips } = await acting(flags, terminal, (actor, parts) =>
    rollBack(commit, actor, { ...parts, read: pipelineReader(parts.settings) }),
  )
  const skipped = skips === undefined ? '' : `; ${shortCommit(skips)} is skipped, and the next new commit is deployed`
  terminal.out.write(`${shortCommit(to.commit)} will be in use within seconds${skipped}\n`)
  return 0
}

/** Pauses deployments until somebody resumes them. */
export async function deployPause(flags: SignFlags, terminal: Terminal): Promise<number> {
  await acting(flags, terminal, pauseDeployments)
  terminal.out.write('nothing is deployed until `audience deploy resume`\n')
  return 0
}

export async function deployResume(flags: SignFlags, terminal: Terminal): Promise<number> {
  const { wasPaused } = await acting(flags, terminal, resumeDeployments)
  terminal.out.write(wasPaused ? 'new commits are deployed again\n' : 'deployments were not paused\n')
  return 0
}

/** Asks for a check of the repository. */
export async function deployNow(flags: SignFlags, terminal: Terminal): Promise<number> {
  await acting(flags, terminal, askForLook)
  terminal.out.write(
    'audience start checks the repository within a second; `audience deploy status` shows what it finds\n',
  )
  return 0
}

/** Performs an act on deployments. Throws before it opens the state if audience.yaml names no repository. */
async function acting<T>(
  flags: SignFlags,
  terminal: Terminal,
  act: (actor: Actor, parts: DeployParts) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(terminal)
  deploymentOf(settings)
  const actor = signedBy(flags, terminal)
  const { clock } = terminal.surroundings
  return withState(terminal, ({ deployments }) => act(actor, { deployments, settings, clock }), settings)
}
