import { watchHistory } from '../../app/watch-history.ts'
import { findRun } from '../../runs/recorded-run.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { runNamed } from '../run-named.ts'
import { type Terminal, untilInterrupt } from '../terminal.ts'
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
    using interrupted = untilInterrupt(terminal)
    if (follow) terminal.whenUnread('end')
    const signal = follow ? interrupted.signal : AbortSignal.abort()
    for await (const event of watchHistory(runId, runs, { clock, signal })) sink.event(event)
    return 0
  })
}
