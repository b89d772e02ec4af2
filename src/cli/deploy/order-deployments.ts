import { rollBack } from '../../acts/deploy.ts'
import { shortCommit } from '../../core/short-commit.ts'
import { deploymentOf, releaseRules } from '../../daemon/deployment/release-rules.ts'
import { pipelineReader } from '../../daemon/documents/read-pipeline.ts'
import { settingsOf } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'

/** Goes back to an earlier commit. */
export async function deployRollback(commit: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const settings = settingsOf(terminal)
  const rules = releaseRules(settings, pipelineReader(settings))
  const actor = signedBy(flags, terminal)
  const now = terminal.surroundings.clock.now()
  const { to, skips } = await withState(
    terminal,
    ({ deployments }) => rollBack(commit, actor, { deployments, settings, rules, now }),
    settings,
  )
  const skipped = skips === undefined ? '' : `; ${shortCommit(skips)} is skipped, and the next new commit deploys`
  terminal.out.write(`${shortCommit(to.commit)} is in use within seconds${skipped}\n`)
  return 0
}

/** Nothing is deployed until somebody resumes. */
export async function deployPause(flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  await ordering(terminal, ({ deployments }) => deployments.pause(terminal.surroundings.clock.now(), actor))
  terminal.out.write('nothing is deployed until `audience deploy resume`\n')
  return 0
}

export async function deployResume(flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  const wasPaused = await ordering(terminal, ({ deployments }) => deployments.resume(actor))
  terminal.out.write(wasPaused ? 'new commits are deployed again\n' : 'deployments were not paused\n')
  return 0
}

/** Asks for a look at the repository. */
export async function deployNow(flags: SignFlags, terminal: Terminal): Promise<number> {
  const actor = signedBy(flags, terminal)
  await ordering(terminal, ({ deployments }) => deployments.ask(terminal.surroundings.clock.now(), actor))
  terminal.out.write('audience start looks within a second; `audience deploy status` shows what it finds\n')
  return 0
}

async function ordering<T>(terminal: Terminal, work: Parameters<typeof withState<T>>[1]): Promise<T> {
  const settings = settingsOf(terminal)
  deploymentOf(settings)
  return withState(terminal, work, settings)
}
