import { membershipFolder, type Settings } from '../config/settings.ts'
import { DAY_MS } from '../core/duration.ts'
import { printableData } from '../core/printable.ts'
import { compareRuns } from '../membership/compare-runs.ts'
import { systemClock } from '../platform/clock.ts'
import type { RunRow } from '../state/run-history.ts'
import { lookAtRuns } from './look-at-runs.ts'
import { runNamed } from './run-named.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'
import { renderDifferences } from './views/render-differences.ts'
import { styleFor } from './views/style.ts'
import { findRun } from './with-state.ts'

export interface DiffFlags {
  readonly json?: true
}

/** Prints how the lists of two runs differ, in figures. */
export async function diffRuns(
  first: string,
  second: string,
  { json }: DiffFlags,
  terminal: Terminal,
): Promise<number> {
  const ids = [await runNamed(first, terminal), await runNamed(second, terminal)] as const
  const settings = settingsOf(terminal)
  return lookAtRuns(terminal, async (runs) => {
    const [before, after] = [await findRun(runs, ids[0]), await findRun(runs, ids[1])]
    const steps = await compareRuns(membershipFolder(settings), before, after, {
      runs,
      whyNone: (run) => whyNone(run, settings),
    })
    const text = json
      ? JSON.stringify({ before: before.runId, after: after.runId, steps })
      : renderDifferences(printableData(steps), { before, after }, styleFor(terminal.out)).join('\n')
    terminal.out.write(`${text}\n`)
    return 0
  })
}

/** Why there may be nothing of the lists of a run. */
function whyNone({ submittedAt }: RunRow, { privacy: { membership } }: Settings): string {
  if (membership.kind === 'none') return 'privacy.membership of audience.yaml is none, so nothing is kept'
  const days = membership.kind === 'fingerprints' ? Math.floor(membership.keepMs / DAY_MS) : Number.POSITIVE_INFINITY
  if (submittedAt < systemClock.now() - days * DAY_MS)
    return `fingerprints are kept for ${days} days (privacy.membership of audience.yaml), and the run is older`
  return 'it prepared no list with files.prepare, or its fingerprints were purged'
}
