import { jsonLine, printableData } from '../../core/printable.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
import { describeRun } from '../../runs/describe-run.ts'
import { forDecision } from '../../runs/for-decision.ts'
import { findRun } from '../../runs/recorded-run.ts'
import { withWaitsBelow } from '../../runs/runs-below.ts'
import { personsWantedWithin } from '../../status/runs-status.ts'
import { stepsBlocked } from '../../status/steps-blocked.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import type { JsonFlag } from '../options.ts'
import { runNamed } from '../run-named.ts'
import type { Terminal } from '../terminal.ts'
import { renderRun } from '../views/render-run.ts'
import { styleFor } from '../views/style.ts'
import { fittedTo } from '../views/text-width.ts'

/** Prints a run as a timeline or as one JSON object. */
export async function showRun(given: string, { json }: JsonFlag, terminal: Terminal): Promise<number> {
  const runId = await runNamed(given, terminal)
  return lookAtRuns(terminal, async (runs) => {
    const row = await findRun(runs, runId)
    const described = describeRun(row, await runs.records(runId), await runs.decisionsSent(runId))
    const run = await withWaitsBelow(described, runs)
    const isOpen = row.finishedAt === undefined
    const needsYou = isOpen ? await personsWantedWithin(row, runs) : []
    const blocked = isOpen ? await stepsBlocked(runs, [runId]) : []
    const decision = isOpen ? await forDecision(row, run, { runs, readPipeline }) : undefined
    const shown = { ...run, needsYou, blocked, ...decision }
    const text = json
      ? jsonLine(shown)
      : renderRun(printableData(shown), terminal.surroundings.clock.now(), styleFor(terminal.out))
          .flatMap(fittedTo(terminal.out))
          .join('\n')
    terminal.out.write(`${text}\n`)
    return 0
  })
}
