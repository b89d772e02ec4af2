import type { SteadyClock } from '../../core/clock.ts'
import { AudienceError } from '../../core/errors.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import type { Beat, WorkerRows } from '../../state/postgres/worker-rows.ts'

/** Milliseconds. */
export interface LeaseTimes {
  readonly beatMs: number
  readonly leaseMs: number
  /**
   * A process takes over from others only after its own heartbeats have succeeded for this long. An outage of the
   * database ends every lease, and each process must then have time to renew its own.
   */
  readonly guardMs: number
}

export const LEASE_TIMES: LeaseTimes = { beatMs: 1000, leaseMs: 3000, guardMs: 4000 }

/** Longer than a lease, because a busy machine may also be late with its heartbeats. */
const NO_ANSWER_MS = 10_000

/** The functions to call when there is news about the lease. */
interface LeaseListener {
  /** Called after each heartbeat. The next heartbeat does not wait for it. */
  readonly onBeat: (beat: Beat) => void
  readonly onKeeper: (isKeeper: boolean) => void
}

/** The lease of this process. */
export interface Lease {
  /** Renews the lease regularly from now on, until `end`. */
  begin(listener: LeaseListener): void
  /**
   * Renews the lease now. Rejects with `lease-lost` if the lease has ended or others have taken it, and with the error
   * of the database if the database is unavailable.
   */
  renew(): Promise<void>
  /** Whether the heartbeats have succeeded for long enough to take over from others. */
  readonly maySucceed: boolean
  /** Resolves when others have taken the lease away. */
  readonly lost: Promise<AudienceError>
  /** Ends the lease. Resolves when no heartbeat is in progress. */
  end(): Promise<void>
}

export function keepLease(
  executor: string,
  {
    rows,
    clock,
    times,
    keeps,
    onMissed,
  }: {
    rows: Pick<WorkerRows, 'beat'>
    clock: SteadyClock
    times: LeaseTimes
    /** Whether this process can be the keeper. */
    keeps: boolean
    /** Called when a heartbeat failed, or has had no answer for too long. */
    onMissed: (error: unknown) => void
  },
): Lease {
  const ending = new AbortController()
  const lost = Promise.withResolvers<AudienceError>()
  let lastAt = clock.steady()
  let goodSince: number | undefined = lastAt
  let underWay: Promise<void> | undefined
  let isLost = false
  let keeperTerm: AbortController | undefined
  let listener: LeaseListener | undefined

  async function beat(): Promise<void> {
    const startedAt = clock.steady()
    const answered = new AbortController()
    const late = () => onMissed(new Error(`the database has not answered for ${formatDuration(NO_ANSWER_MS)}`))
    clock.sleep(NO_ANSWER_MS, answered.signal).then(late, () => undefined)
    let told: Beat
    try {
      told = await rows.beat(executor, { keeps })
    } catch (error) {
      goodSince = undefined
      onMissed(error)
      throw error
    } finally {
      answered.abort()
    }
    if (!told.isAlive) {
      isLost = true
      endTerm()
      ending.abort()
      lost.resolve(leaseLost())
      throw leaseLost()
    }
    // The lease has ended in the meantime, so another process may be the keeper.
    if (ending.signal.aborted) return
    const now = clock.steady()
    if (goodSince === undefined || now - lastAt > times.leaseMs) goodSince = now
    lastAt = now
    if (told.isKeeper) extendTerm(times.leaseMs - (now - startedAt))
    else endTerm()
    listener?.onBeat(told)
  }

  /**
   * Extends the role of the keeper. The role ends automatically unless it is renewed, because another process may then
   * take it.
   */
  function extendTerm(ms: number): void {
    const isNew = keeperTerm === undefined
    keeperTerm?.abort()
    const term = new AbortController()
    keeperTerm = term
    clock.sleep(Math.max(0, ms), term.signal).then(endTerm, () => undefined)
    if (isNew) listener?.onKeeper(true)
  }

  function endTerm(): void {
    if (!keeperTerm) return
    keeperTerm.abort()
    keeperTerm = undefined
    listener?.onKeeper(false)
  }

  function renew(): Promise<void> {
    if (isLost || ending.signal.aborted) return Promise.reject(leaseLost())
    underWay ??= beat().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function keep(): Promise<void> {
    while (!ending.signal.aborted) {
      await clock.sleep(times.beatMs, ending.signal).catch(() => undefined)
      if (!ending.signal.aborted) await renew().catch(() => undefined)
    }
  }

  return {
    begin(told) {
      listener = told
      void keep()
    },
    renew,
    get maySucceed() {
      return goodSince !== undefined && clock.steady() - goodSince >= times.guardMs
    },
    lost: lost.promise,
    async end() {
      ending.abort()
      endTerm()
      await underWay?.catch(() => undefined)
    },
  }
}

function leaseLost(): AudienceError {
  return new AudienceError({
    code: 'lease-lost',
    kind: 'restart',
    message:
      'other workers have taken over the runs of this process, because it did not answer for longer than its lease',
    hint: 'start it again; if this happens often, the machine is too busy or the database too slow',
  })
}
