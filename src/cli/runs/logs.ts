import { watchHistory } from '../../app/watch-history.ts'
import { findRun } from '../../runs/recorded-run.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { runNamed } from '../run-named.ts'
import type { Terminal } from '../terminal.ts'
import { jsonSink } from '../views/json-sink.ts'
import { lineSink } from '../views/line-sink.ts'

export interface LogsFlags {
  readonly follow?: true
  readonly json?: true
}

/** Prints the events of a run, as lines or as JSON; with `follow`, until the run ends or the command is interrupted. */
export async function logRun(given: string, { follow, json }: LogsFlags, terminal: Terminal): Promise<number> {
  const { clock } = terminal.surroundings
  const runId = await runNamed(given, terminal)
  return lookAtRuns(terminal, async (runs) => {
    await findRun(runs, runId)
    const sink = json ? jsonSink(terminal.out, clock) : lineSink(terminal.out, clock)
    const over = new AbortController()
    const unlisten = terminal.onInterrupt(() => over.abort())
    if (follow) terminal.whenUnread('end')
    else over.abort()
    for await (const event of watchHistory(runId, runs, { clock, signal: over.signal })) sink.event(event)
    unlisten()
    return 0
  })
}
