import { listsToPurge, purgeFingerprints } from '../../acts/purge-fingerprints.ts'
import { membershipFolder } from '../../config/settings.ts'
import { count } from '../../core/format/figures.ts'
import type { Act } from '../../state/audit-log.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { durationOption } from '../options.ts'
import { runNamed } from '../run-named.ts'
import { settingsOf } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'

export interface PurgeFlags extends Pick<SignFlags, 'by'> {
  readonly olderThan?: string
  readonly run: readonly string[]
}

/** Removes fingerprints of lists. The state is opened for writing only if there were any. */
export async function purge({ olderThan, run, ...sign }: PurgeFlags, terminal: Terminal): Promise<number> {
  const folder = membershipFolder(settingsOf(terminal))
  const actor = signedBy(sign, terminal)
  const before = olderThan === undefined ? undefined : terminal.surroundings.clock.now() - durationOption(olderThan)
  const runIds: string[] = []
  for (const text of run) runIds.push(await runNamed(text, terminal))
  const lists =
    runIds.length === 0 ? undefined : await lookAtRuns(terminal, (runs) => listsToPurge(runIds, { folder, runs }))
  const record = (act: Act) => withState(terminal, ({ audit }) => audit.add(act))
  const removed = await purgeFingerprints({ lists, before }, actor, { folder, record })
  terminal.out.write(`removed the fingerprints of ${count(removed, 'list')}\n`)
  return 0
}
