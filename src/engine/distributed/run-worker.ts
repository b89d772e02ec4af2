import { backoffDelay } from '../../core/delays.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { StoredRecord } from '../../core/run.ts'
import { foldRecords } from '../../runs/run-state.ts'
import type { RunWrites } from '../../state/postgres/run-writes.ts'
import type { SentMessage } from '../../state/run-history.ts'
import { RunTakenOverError } from '../../state/run-store.ts'
import type { DriverDeps } from '../engine-deps.ts'
import { isEnvMissing, openRun } from '../sealed-runs.ts'
import { PARKED } from '../waits.ts'
import type { Draining } from './draining.ts'
import { Gate } from './gate.ts'
import { type InputFiles, UnreadableInputs } from './unreadable-inputs.ts'

const DELAYS = { firstMs: 1000, longestMs: 30_000 } as const
/** After this time a run that this version cannot read goes back to its queue, where a newer version may take it. */
const HAND_BACK_MS = 15_000
/**
 * The maximum number of runs whose data this process reads at a time. DBOS may give it thousands at once, and the
 * heartbeat needs a connection, too.
 */
const MOST_READING = 8

/**
 * `ended`: there is nothing left to do. `elsewhere`: this process must not touch the run again. `failed`: this process
 * tries again.
 */
type Outcome = 'ended' | 'elsewhere' | 'failed'

interface Begun {
  readonly end: Promise<Outcome>
}

/** Works on the runs that DBOS gives to this process. */
export class RunWorker {
  /** Runs whose work failed in this process and will be tried again. */
  readonly stuck = new Set<string>()
  readonly #deps: RunWorkerDeps
  /** The runs that DBOS gave to this process, each with the number of its latest assignment. */
  readonly #given = new Map<string, number>()
  readonly #outcomes = new Map<string, (outcome: Outcome) => void>()
  /** Runs that this version cannot read and that were reported. */
  readonly #told = new Set<string>()
  readonly #few = new Gate(
    () => MOST_READING,
    () => 0,
  )
  readonly #unreadable: UnreadableInputs
  #times = 0
  #takingUp = 0

  constructor(deps: RunWorkerDeps) {
    this.#deps = deps
    this.#unreadable = new UnreadableInputs(deps.files)
  }

  /** Whether all runs that were given to this process have ended. */
  get isIdle(): boolean {
    return this.#given.size === 0
  }

  /** Whether it is working on a run or is about to. Runs that are still waiting to begin do not count. */
  get isBusy(): boolean {
    return this.#outcomes.size + this.#takingUp > 0
  }

  has(runId: string): boolean {
    return this.#given.has(runId)
  }

  /**
   * Works on a run. Resolves when the run has ended. Never rejects, because DBOS would take that as the end of the run.
   * If the run continues elsewhere, the promise stays pending.
   */
  async work(runId: string): Promise<void> {
    this.#times += 1
    const time = this.#times
    this.#given.set(runId, time)
    const isCurrent = () => this.#given.get(runId) === time && !this.#deps.signal.aborted
    for (let attempt = 1; isCurrent(); attempt += 1) {
      const outcome = await this.#workOnce(runId, isCurrent).catch((error) => this.#failed(runId, error, isCurrent))
      // Returns even while the process is stopping, because DBOS must still learn that the run has ended.
      if (outcome === 'ended') {
        if (this.#given.get(runId) === time) this.#forget(runId)
        return
      }
      if (!isCurrent() || outcome === 'elsewhere') break
      this.stuck.add(runId)
      await this.#deps.clock.sleep(backoffDelay(DELAYS, attempt), this.#deps.signal).catch(() => undefined)
    }
    if (isCurrent()) this.#forget(runId)
    await new Promise(() => undefined)
  }

  /**
   * Call this when this process is no longer working on an active run. `reason` has the same meaning as in ActiveRuns.
   */
  left(runId: string, reason: unknown): void {
    if (reason === PARKED) return
    const outcome = reason === undefined ? 'ended' : reason instanceof RunTakenOverError ? 'elsewhere' : 'failed'
    this.#outcomes.get(runId)?.(outcome)
    this.#outcomes.delete(runId)
  }

  /**
   * A separate function, so that the data that are needed only to begin a run are freed. Thousands of runs may just
   * wait.
   */
  async #workOnce(runId: string, isCurrent: () => boolean): Promise<Outcome> {
    const begun = await this.#begin(runId, isCurrent)
    return typeof begun === 'string' ? begun : begun.end
  }

  async #begin(runId: string, isCurrent: () => boolean): Promise<Outcome | Begun> {
    const { writes, runs, read, gate, handBack, draining } = this.#deps
    const stored = await writes.records(runId)
    // The run was removed.
    if (stored.length === 0) return 'ended'
    const pipeline = read(foldRecords(stored.slice(0, 1)).submission)
    const before = await this.#opened(runId, stored, pipeline)
    const { submission } = foldRecords(before.slice(0, 1))
    if (await this.#unreadable.areForOthers(runId, { records: before, pipeline, submission })) {
      // Handed back immediately: this process has just taken a run from the queue, so another process is next.
      if (isCurrent()) await this.#few.enter(() => handBack(runId))
      return 'elsewhere'
    }
    const { parent } = submission.trigger
    const isChild = parent !== undefined
    const takeUp = async (): Promise<Outcome | Begun> => {
      await this.#endStale(runId)
      if (!isCurrent()) return 'elsewhere'
      const taken = await writes.takeUp(runId)
      if (taken === 'ended') return 'ended'
      // If no process has taken up the run before, its admission has recorded the earlier messages.
      const [since, sent] =
        taken === 'first'
          ? [[], []]
          : await this.#few.enter(() => Promise.all([writes.records(runId, stored.length - 1), writes.messages()]))
      const records = [...stored, ...since]
      if (!isCurrent()) return 'elsewhere'
      this.stuck.delete(runId)
      const { promise: end, resolve } = Promise.withResolvers<Outcome>()
      this.#outcomes.set(runId, resolve)
      runs.takeUp(runId, records, pipeline, { pending: pendingOf(records), sent })
      return { end }
    }
    const begin = async (): Promise<Outcome | Begun | 'notTaken'> => {
      if (!isCurrent()) return 'elsewhere'
      if (!draining.mayBegin({ isChild, isOwnChild: runs.has(String(parent)) })) return 'notTaken'
      this.#takingUp += 1
      return takeUp().finally(() => {
        this.#takingUp -= 1
      })
    }
    while (true) {
      // A child run does not need a slot. Otherwise it would wait for its own parent, which has one.
      const begun = await (isChild ? begin() : gate.enter(begin))
      if (begun !== 'notTaken') return begun
      if (draining.givesAway) {
        await this.#few.enter(() => handBack(runId))
        return 'elsewhere'
      }
      // No other worker would take the run.
      await draining.changed
    }
  }

  async #opened(runId: string, stored: readonly StoredRecord[], pipeline: Pipeline): Promise<readonly StoredRecord[]> {
    const { env, writes } = this.#deps
    try {
      return openRun(runId, stored, { pipeline, env }).records
    } catch (error) {
      if (!isEnvMissing(error)) throw error
      // The run's cancellation may have been sent. A cancelled run may need no variables to end.
      const sent = await this.#few.enter(() => writes.messages())
      return openRun(runId, stored, { pipeline, env, sent }).records
    }
  }

  /** If DBOS gives a run to this process again, its earlier work must end before the new work begins. */
  async #endStale(runId: string): Promise<void> {
    const { runs } = this.#deps
    if (!runs.has(runId)) return
    const live = runs.live.get(runId)
    const reason = new RunTakenOverError(runId)
    runs.lose(runId, reason)
    await live?.end.catch(() => undefined)
    this.left(runId, reason)
  }

  async #failed(runId: string, error: unknown, isCurrent: () => boolean): Promise<Outcome> {
    const { onUnreadable, handBack, clock, signal } = this.#deps
    if (!(error instanceof InvalidDocumentError || isEnvMissing(error))) return 'failed'
    if (!this.#told.has(runId)) onUnreadable?.(runId, error)
    this.#told.add(runId)
    await clock.sleep(HAND_BACK_MS, signal).catch(() => undefined)
    if (!isCurrent()) return 'elsewhere'
    try {
      await handBack(runId)
      return 'elsewhere'
    } catch {
      return 'failed'
    }
  }

  #forget(runId: string): void {
    this.#given.delete(runId)
    this.stuck.delete(runId)
    this.#deps.writes.drop(runId)
  }
}

interface RunWorkerDeps extends Pick<DriverDeps, 'clock' | 'env' | 'onUnreadable'> {
  writes: Pick<RunWrites, 'records' | 'messages' | 'takeUp' | 'drop'>
  /** As in ActiveRuns. */
  runs: {
    live: ReadonlyMap<string, { end: Promise<void> }>
    has(runId: string): boolean
    lose(runId: string, reason: unknown): void
    takeUp(
      runId: string,
      stored: readonly StoredRecord[],
      pipeline: Pipeline,
      how: { pending: number; sent: readonly SentMessage[] },
    ): void
  }
  /** Throws an InvalidDocumentError if this version cannot parse it. */
  read: (source: { text: string; file: string }) => Pipeline
  gate: Gate
  draining: Pick<Draining, 'mayBegin' | 'givesAway' | 'changed'>
  /** Puts a run back into the common queue. */
  handBack: (runId: string) => Promise<void>
  /** If absent, this process works on its runs even if it does not have their files. */
  files?: InputFiles
  /** Aborts when this process must stop working on runs. */
  signal: AbortSignal
}

/** How many of the latest records have not reached watchers yet. These are the records with which a run begins. */
function pendingOf(records: readonly StoredRecord[]): number {
  return records.length === 1 || records.at(-1)?.record.type === 'run.admitted' ? 1 : 0
}
