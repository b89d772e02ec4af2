import { membershipFolder } from '../../config/settings.ts'
import { count } from '../../core/format/figures.ts'
import { listsOf } from '../../membership/kept-lists.ts'
import { removeFingerprints } from '../../membership/remove-fingerprints.ts'
import { findRun } from '../../runs/recorded-run.ts'
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

/** Removes fingerprints of lists, and records who did it. */
export async function purge({ olderThan, run, ...sign }: PurgeFlags, terminal: Terminal): Promise<number> {
  const folder = membershipFolder(settingsOf(terminal))
  const signed = signedBy(sign, terminal)
  const before = olderThan === undefined ? undefined : terminal.surroundings.clock.now() - durationOption(olderThan)
  const runIds = []
  for (const text of run) runIds.push(await runNamed(text, terminal))
  const files = runIds.length === 0 ? undefined : await filesOf(runIds, folder, terminal)
  const removed = await removeFingerprints(
    folder,
    ({ file, at }) => (files === undefined || files.has(file)) && (before === undefined || at < before),
  )
  if (removed > 0) {
    const act = { act: 'privacy.purge', subject: runIds.join(' ') || 'lists', detail: count(removed, 'list') } as const
    await withState(terminal, ({ audit }) => audit.add({ ...signed, ...act, outcome: 'done' }))
  }
  terminal.out.write(`removed the fingerprints of ${count(removed, 'list')}\n`)
  return 0
}

function filesOf(runIds: readonly string[], folder: string, terminal: Terminal): Promise<ReadonlySet<string>> {
  return lookAtRuns(terminal, async (runs) => {
    const files = new Set<string>()
    for (const runId of runIds) {
      for (const { file } of await listsOf(folder, await findRun(runs, runId), runs)) files.add(file)
    }
    return files
  })
}
