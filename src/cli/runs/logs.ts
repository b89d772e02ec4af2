import { watchHistory } from '../../watch-history.ts'
import { jsonSink } from '../render/json-sink.ts'
import { lineSink } from '../render/line-sink.ts'
import type { Terminal } from '../terminal.ts'
import { findRun } from '../with-history.ts'
import { lookAtRuns } from '../with-readable-state.ts'

export interface LogsFlags {
  readonly follow?: true
  readonly json?: true
}

/** Prints the events of a run, as lines or as JSON; with `follow` until it ends or an interrupt. */
export function logRun(runId: string, { follow, json }: LogsFlags, terminal: Terminal): Promise<number> {
  return lookAtRuns(terminal, async (journal) => {
    findRun(journal, runId)
    const sink = json ? jsonSink(terminal.out) : lineSink(terminal.out)
    const over = new AbortController()
    const unlisten = terminal.onInterrupt(() => over.abort())
    if (!follow) over.abort()
    for await (const event of watchHistory(runId, journal, over.signal)) sink.event(event)
    unlisten()
    return 0
  })
}
