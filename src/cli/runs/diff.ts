import { membershipFolder } from '../../config/settings.ts'
import { jsonLine } from '../../core/printable.ts'
import { compareRuns } from '../../membership/compare-runs.ts'
import { findRun } from '../../runs/recorded-run.ts'
import { whyNothingKept } from '../../status/why-nothing-kept.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import type { JsonFlag } from '../options.ts'
import { runNamed } from '../run-named.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { renderDifferences } from '../views/render-differences.ts'
import { styleFor } from '../views/style.ts'

/** Prints how the lists of two runs differ, in figures. */
export async function diffRuns(first: string, second: string, { json }: JsonFlag, terminal: Terminal): Promise<number> {
  const ids = [await runNamed(first, terminal), await runNamed(second, terminal)] as const
  const settings = settingsOf(terminal)
  return lookAtRuns(terminal, async (runs) => {
    const [before, after] = [await findRun(runs, ids[0]), await findRun(runs, ids[1])]
    const steps = await compareRuns(membershipFolder(settings), before, after, {
      runs,
      whyNone: (run) => whyNothingKept(run, settings, terminal.surroundings.clock.now()),
    })
    const text = json
      ? jsonLine({ before: before.runId, after: after.runId, steps })
      : renderDifferences(steps, { before, after }, styleFor(terminal.out)).join('\n')
    terminal.out.write(`${text}\n`)
    return 0
  })
}
