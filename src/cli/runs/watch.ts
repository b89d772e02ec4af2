import { watchHistory } from '../../app/watch-history.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import type { FinalStatus } from '../../core/run.ts'
import { findRun } from '../../runs/recorded-run.ts'
import type { RunRow } from '../../state/run-history.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { openSink } from '../open-sink.ts'
import { runNamed } from '../run-named.ts'
import { type Terminal, untilInterrupt } from '../terminal.ts'

export interface WatchFlags {
  readonly exitStatus?: true
  readonly json?: true
}

/**
 * Shows a run that another process is working on, until the run ends; returns 0 or, with `exitStatus`, 1 if the run did
 * not succeed. An interrupt ends only this command.
 */
export async function watchRun(given: string, { exitStatus, json }: WatchFlags, terminal: Terminal): Promise<number> {
  const { clock } = terminal.surroundings
  const runId = await runNamed(given, terminal)
  return lookAtRuns(terminal, async (runs) => {
    const row = await findRun(runs, runId)
    if (isIdle(row)) {
      terminal.err.write(
        row.queuedFor === 'worker'
          ? `${runId} is queued for a worker; this command watches it until it ends\n`
          : `no process is working on ${runId}; to resume it: audience start, or audience runs resume ${runId}; this command watches the run until it ends\n`,
      )
    }
    if (!exitStatus) terminal.whenUnread('end')
    const sink = await openSink(terminal, json)
    using interrupted = untilInterrupt(terminal, (signal) => signal)
    const { signal } = interrupted
    let status: FinalStatus | undefined
    try {
      for await (const event of watchHistory(runId, runs, { clock, signal })) {
        sink.event(event)
        if (event.event === 'run.finished') status = event.status
      }
    } finally {
      sink.close()
    }
    // The watching ended before the run. SIGHUP means that nobody reads the output any more.
    if (status === undefined) return signal.reason === 'SIGHUP' && !exitStatus ? 0 : EXIT_CODES.interrupted
    return exitStatus && status !== 'succeeded' ? EXIT_CODES.failed : 0
  })
}

function isIdle({ status, owner, finishedAt }: RunRow): boolean {
  return finishedAt === undefined && owner === undefined && status !== 'waiting'
}
