import { drainWorker, hasOthers, stateIsFolder, undrainWorker } from '../../acts/drain-worker.ts'
import { type AudienceError, failedError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { type WorkerRow, type Workers, workerName } from '../../state/worker-row.ts'
import { settingsOf } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { writeTime } from '../views/write-time.ts'
import { withState } from '../with-state.ts'

export interface DrainFlags extends SignFlags {
  readonly wait?: true
  readonly json?: true
}

const LOOK_EVERY_MS = 1000

/**
 * Tells a worker to take no new runs and to end when its runs have ended. With `wait`, reports its progress until then.
 */
export async function drainWorkerCommand(name: string, flags: DrainFlags, terminal: Terminal): Promise<number> {
  const { now } = terminal.surroundings.clock
  return withWorkers(terminal, async (workers) => {
    const { worker, wasDraining } = await drainWorker(name, signedBy(flags, terminal), { workers, now })
    const tell = flags.json ? tellJson(worker, terminal) : tellText(worker, terminal)
    tell.draining(wasDraining)
    if (flags.wait) await waitForEnd(worker, workers, { tell, terminal })
    return 0
  })
}

/** Lets a draining worker take runs again. */
export async function undrainWorkerCommand(name: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const { now } = terminal.surroundings.clock
  return withWorkers(terminal, async (workers) => {
    const worker = await undrainWorker(name, signedBy(flags, terminal), { workers, now })
    terminal.out.write(`${workerName(worker)} takes runs again\n`)
    return 0
  })
}

function withWorkers(terminal: Terminal, work: (workers: Workers) => Promise<number>): Promise<number> {
  const settings = settingsOf(terminal)
  if (!settings.database) throw stateIsFolder(settings)
  return withState(
    terminal,
    (state) => {
      if (!state.workers) throw stateIsFolder(settings)
      return work(state.workers)
    },
    settings,
  )
}

/** How a command reports the progress of a worker. */
interface Tell {
  draining(wasDraining: boolean): void
  runs(runs: number, hasOthers: boolean): void
  ended(): void
}

async function waitForEnd(
  { executor, ...worker }: WorkerRow,
  workers: Pick<Workers, 'list'>,
  { tell, terminal }: { tell: Tell; terminal: Terminal },
): Promise<void> {
  const { clock } = terminal.surroundings
  let told: string | undefined
  while (true) {
    const rows = await workers.list()
    const row = rows.find((one) => one.executor === executor)
    if (!row) {
      tell.ended()
      return
    }
    if (row.drainingSince === undefined) throw drainsNoMore(worker)
    const others = hasOthers(row, rows, clock.now())
    const now = `${row.runs} ${others}`
    if (now !== told) tell.runs(row.runs, others)
    told = now
    await clock.sleep(LOOK_EVERY_MS)
  }
}

function tellText(worker: WorkerRow, { out }: Terminal): Tell {
  const name = workerName(worker)
  return {
    draining(wasDraining) {
      const since = `since ${writeTime(worker.drainingSince ?? worker.startedAt)}`
      out.write(
        wasDraining
          ? `${name} is already draining, ${since}\n`
          : `${name} takes no new runs. It finishes its running steps, and runs that only wait go to other workers; then it ends.\n`,
      )
    },
    runs(runs, others) {
      const rest = others
        ? ''
        : '; no other worker takes runs now, so runs that only wait stay with it until another one does (audience start)'
      out.write(`${name}: ${count(runs, 'run')} left${rest}\n`)
    },
    ended: () => void out.write(`${name} has ended\n`),
  }
}

function tellJson(worker: WorkerRow, { out }: Terminal): Tell {
  const { executor } = worker
  const write = (event: string, fields: object) =>
    void out.write(`${JSON.stringify({ event, name: workerName(worker), executor, ...fields })}\n`)
  const drainingSince = isoTime(worker.drainingSince)
  return {
    draining: (wasDraining) => write('worker.draining', { drainingSince, wasDraining }),
    runs: (runs, others) => write('worker.runs', { runs, hasOthers: others }),
    ended: () => write('worker.ended', {}),
  }
}

function drainsNoMore(worker: Pick<WorkerRow, 'host' | 'pid'>): AudienceError {
  return failedError(
    'worker-not-draining',
    `worker ${workerName(worker)} is no longer draining, because somebody let it take runs again`,
    '`audience audit list` says who',
  )
}
