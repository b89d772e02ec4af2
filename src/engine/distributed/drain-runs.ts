import { inBackground } from '../../core/one-at-a-time.ts'
import { RunTakenOverError } from '../../state/run-store.ts'
import type { Draining } from './draining.ts'
import type { Gate } from './gate.ts'

/**
 * Lets the work of a draining worker end. `drain` is called with each heartbeat. Runs that only wait go to other
 * workers. While there is no other worker, they stay. `drained` resolves when this process is no longer working on any
 * run.
 */
export function drainRuns({
  runs,
  gate,
  draining,
  worker,
  give,
}: {
  /** As in ActiveRuns. */
  readonly runs: { abandon(reasonFor: (runId: string) => unknown): readonly string[] }
  readonly gate: Pick<Gate, 'hasRoom'>
  readonly draining: Draining
  /** As in RunWorker. */
  readonly worker: { readonly isBusy: boolean; left(runId: string, reason: unknown): void }
  /** Gives runs to the processes that take them. */
  readonly give: (runIds: readonly string[]) => Promise<void>
}): { readonly drain: () => void; readonly drained: Promise<void> } {
  const drained = Promise.withResolvers<void>()
  /** Runs that this process has released and that no other worker has yet. */
  const free = new Set<string>()

  async function letGo(): Promise<void> {
    const reason = (runId: string) => new RunTakenOverError(runId)
    for (const runId of runs.abandon(reason)) {
      free.add(runId)
      worker.left(runId, reason(runId))
    }
    const runIds = [...free]
    await give(runIds)
    for (const runId of runIds) free.delete(runId)
  }

  const drain = inBackground(async () => {
    gate.hasRoom()
    if (draining.givesAway) await letGo()
    if (draining.isOn && !worker.isBusy) drained.resolve()
  })
  return { drain, drained: drained.promise }
}
