import { stringifyJson } from '../../core/json.ts'
import { printableData, printableJson } from '../../core/printable.ts'
import { describeRun } from '../../runs/describe-run.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { runNamed } from '../run-named.ts'
import type { Terminal } from '../terminal.ts'
import { renderRun } from '../views/render-run.ts'
import { styleFor } from '../views/style.ts'
import { fittedTo } from '../views/text-width.ts'
import { findRun } from '../with-state.ts'

/** Prints a run as a timeline or as one JSON object. */
export async function showRun(given: string, { json }: { readonly json?: true }, terminal: Terminal): Promise<number> {
  const runId = await runNamed(given, terminal)
  return lookAtRuns(terminal, async (runs) => {
    const run = describeRun(await findRun(runs, runId), await runs.records(runId), await runs.decisionsSent(runId))
    const text = json
      ? printableJson(stringifyJson(run))
      : renderRun(printableData(run), Date.now(), styleFor(terminal.out)).flatMap(fittedTo(terminal.out)).join('\n')
    terminal.out.write(`${text}\n`)
    return 0
  })
}
