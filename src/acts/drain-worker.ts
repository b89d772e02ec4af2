import type { Settings } from '../config/settings.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { type AudienceError, failedError, invalidError, usageError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import type { Actor } from '../core/run.ts'
import { takesRuns, type WorkerRow, type Workers, workerName } from '../state/worker-row.ts'

interface DrainDeps {
  workers: Workers
  /** Milliseconds since 1970. */
  now: () => number
}

/**
 * Makes a worker take on nothing new and end when its runs have ended. A worker that is already draining continues to
 * drain. Throws the same errors as `findWorker`, and `not-a-worker`, `worker-too-old` or `no-other-worker`.
 */
export async function drainWorker(
  name: string,
  actor: Actor,
  deps: DrainDeps,
): Promise<{ readonly worker: WorkerRow; readonly wasDraining: boolean }> {
  const worker = await findWorker(name, deps)
  if (worker.takes === 'own') throw notAWorker(worker)
  if (worker.queue === undefined) throw tooOld(worker)
  if (worker.drainingSince !== undefined) return { worker, wasDraining: true }
  if (await deps.workers.drain(worker, actor)) return { worker: await findWorker(name, deps), wasDraining: false }
  // The worker may have ended in the meantime, or somebody else may have drained it first.
  const now = await findWorker(name, deps)
  if (now.drainingSince !== undefined) return { worker: now, wasDraining: true }
  throw noOtherWorker(now)
}

/** Lets a draining worker take runs again. Throws the same errors as `findWorker`, and `worker-not-draining`. */
export async function undrainWorker(name: string, actor: Actor, deps: DrainDeps): Promise<WorkerRow> {
  const worker = await findWorker(name, deps)
  if (await deps.workers.undrain(worker, actor)) return findWorker(name, deps)
  throw failedError('worker-not-draining', `worker ${workerName(worker)} is not draining: it takes runs`)
}

/** The error for a state in a folder, which has no workers. */
export function stateIsFolder({ state }: Pick<Settings, 'state'>): AudienceError {
  return invalidError(
    'state-is-folder',
    `the state is the folder ${state}, which only one audience start works on`,
    '`audience status` shows it; stop it with SIGTERM or Ctrl-C, and the next start resumes its runs. Workers share a state in PostgreSQL: docs/many-machines.md',
  )
}

/** Whether there is another worker to take the runs that this one gives up. */
export function hasOthers({ executor, queue }: WorkerRow, workers: readonly WorkerRow[], now: number): boolean {
  return workers.some((other) => other.executor !== executor && other.queue === queue && takesRuns(other, now))
}

/**
 * The living worker that a name refers to: HOST:PID, HOST if there is only one worker on it, or the worker's executor.
 * Throws `unknown-worker`, `ambiguous-worker` or `worker-gone`.
 */
async function findWorker(name: string, { workers, now }: DrainDeps): Promise<WorkerRow> {
  const rows = await workers.list()
  const at = now()
  const living = rows.filter(({ expiresAt }) => expiresAt > at)
  const named = (row: WorkerRow) => row.executor === name || workerName(row) === name
  const exact = rows.find(named)
  if (exact && exact.expiresAt <= at) throw gone(exact, at - exact.expiresAt)
  const [found, another] = exact ? [exact] : living.filter(({ host, takes }) => host === name && takes === 'all')
  if (another)
    throw usageError(
      'ambiguous-worker',
      `several workers run on ${name}`,
      `name one: ${living
        .filter(({ host }) => host === name)
        .map(workerName)
        .join(', ')}`,
    )
  if (found) return found
  throw usageError(
    'unknown-worker',
    `there is no worker ${name}`,
    didYouMean(name, living.map(workerName)) ?? '`audience workers list` shows the workers of this state',
  )
}

function gone(worker: WorkerRow, forMs: number): AudienceError {
  return failedError(
    'worker-gone',
    `worker ${workerName(worker)} is gone: its lease ended ${formatDuration(forMs)} ago`,
    'there is nothing to drain: other workers take its runs',
  )
}

function notAWorker(worker: WorkerRow): AudienceError {
  return usageError(
    'not-a-worker',
    `${workerName(worker)} is an \`audience run\`: it works only on its own run`,
    'it ends with its run; Ctrl-C leaves the run to the workers',
  )
}

function tooOld(worker: WorkerRow): AudienceError {
  return failedError(
    'worker-too-old',
    `worker ${workerName(worker)} has version ${worker.version}, which cannot drain`,
    'stop it with SIGTERM: its runs go to other workers within seconds',
  )
}

function noOtherWorker(worker: WorkerRow): AudienceError {
  return failedError(
    'no-other-worker',
    `no other worker could take the runs of ${workerName(worker)}: if it drained, all new runs would wait`,
    'start another one first: audience start. To stop all work, send it SIGTERM: its runs continue at the next start',
  )
}
