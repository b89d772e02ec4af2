import { stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { FileSignal } from '../contract/enumerations.ts'
import type { Clock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import { type OptOutFile, optOutPath } from '../core/privacy.ts'
import { repeat } from '../core/repeat.ts'

/** An opt-out list that cannot be used. Until it can be used, no list is prepared. */
export interface OptOutTrouble {
  readonly file: string
  readonly error: AudienceError
}

/** What is known about the opt-out lists. */
export type OptOutsWatch = ReturnType<typeof watchOptOuts>

/** A check only queries the file system. A list is read when its file or the signals have changed. */
const LOOK_EVERY_MS = 15_000
/**
 * If the problem is outside the file, such as a full disk, the list is read again after this time, because the problem
 * may be over.
 */
const AGAIN_AFTER_MS = 300_000

interface Known {
  /** Identifies the file and the signals of the last check. */
  readonly stamp: string
  readonly at: number
  readonly error?: AudienceError | undefined
}

/**
 * Checks the opt-out lists now and from time to time. A changed list is read once it looks the same in two checks,
 * because its writer may not have finished. `prove` throws an AudienceError for a list that cannot be used.
 */
export function watchOptOuts(deps: {
  optOuts: readonly OptOutFile[]
  /** The signals of the lists that are prepared; they may change at any time. */
  signals: () => readonly FileSignal[]
  prove: (optOut: OptOutFile, signals: readonly FileSignal[], signal: AbortSignal) => Promise<void>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
}) {
  const { optOuts, prove, clock, log } = deps
  const stopping = new AbortController()
  const known = new Map<OptOutFile, Known>()
  const seen = new Map<OptOutFile, string>()

  async function look(): Promise<void> {
    const signals = [...new Set(deps.signals())].sort()
    const stampOf = async (optOut: OptOutFile) => `${await fileStamp(optOut)} ${signals.join()}`
    for (const optOut of optOuts) {
      const stamp = await stampOf(optOut)
      const isSettled = (seen.get(optOut) ?? stamp) === stamp
      seen.set(optOut, stamp)
      if (!isSettled || isProven(known.get(optOut), stamp)) continue
      const error = await prove(optOut, signals, stopping.signal).then(() => undefined, audienceError)
      if (stopping.signal.aborted) return
      if ((await stampOf(optOut)) === stamp) note(optOut, { stamp, at: clock.now(), error })
    }
  }

  function isProven(last: Known | undefined, stamp: string): boolean {
    if (last?.stamp !== stamp) return false
    const isOfFile = last.error === undefined || last.error.code === 'opt-outs-unusable'
    return isOfFile || clock.now() < last.at + AGAIN_AFTER_MS
  }

  function note(optOut: OptOutFile, now: Known): void {
    const before = known.get(optOut)
    known.set(optOut, now)
    const file = optOutPath(optOut)
    if (now.error === undefined) {
      if (before?.error) log.info({ file }, 'an opt-out list can be used again')
    } else if (before?.error?.message !== now.error.message)
      log.warn({ file, reason: now.error.message, hint: now.error.hint }, 'an opt-out list cannot be used')
  }

  const failed = (error: unknown) => log.warn({ err: error }, 'the opt-out lists cannot be checked')
  if (optOuts.length > 0) void repeat(look, { clock, everyMs: LOOK_EVERY_MS, signal: stopping.signal, failed })

  const troubles = (): readonly OptOutTrouble[] =>
    [...known].flatMap(([optOut, { error }]) => (error ? [{ file: optOutPath(optOut), error }] : []))
  return {
    /** The lists that cannot be used; undefined until all were checked. */
    troubles: () => (known.size < optOuts.length ? undefined : troubles()),
    /** A sentence about the first of them, to show to people. */
    reason() {
      const [first, ...others] = troubles()
      return first && `${first.error.message}${others.length > 0 ? ` (and ${others.length} more)` : ''}`
    },
    stop: () => stopping.abort(),
  }
}

async function fileStamp(optOut: OptOutFile): Promise<string> {
  const stats = await stat(optOutPath(optOut)).catch(() => undefined)
  // `ctimeMs` shows a change even if its writer sets the modification time back.
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : 'none'
}

function audienceError(error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  throw error
}
