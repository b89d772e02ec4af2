import { type SteadyClock, within } from '../../core/clock.ts'
import { HOUR_MS } from '../../core/duration.ts'
import { grouped } from '../../core/format/figures.ts'
import type { Limit } from '../../core/one-at-a-time.ts'
import { remoteCodeOf } from '../../core/remote-error.ts'
import { hintOf, MAX_REMOTE_BYTES, type RemoteSource } from '../../core/remote-source.ts'
import type { RemoteTrigger } from '../../core/trigger.ts'
import type { Content } from '../watch/content.ts'
import { makeCopy } from './local-copy.ts'
import type { Place } from './locate-file.ts'

/** The longest time that one file may take. */
const DOWNLOAD_MS = 6 * HOUR_MS

interface Reading {
  /** Where the copy goes. */
  readonly path: string
  readonly trigger: Pick<RemoteTrigger, 'precheck' | 'settleMs'>
  readonly reading: Limit
  readonly clock: SteadyClock
  readonly signal: AbortSignal
  /** Whether it is a manifest: only its size counts, and it may be empty. */
  readonly isManifest?: boolean
}

/**
 * Copies a file to this machine. Returns `changed` only for a file that was not taken: a taken file is read until its
 * content stays the same.
 */
export async function readCopy(
  source: RemoteSource,
  { file, isTaken }: Place,
  { path, trigger, reading, clock, signal, isManifest = false }: Reading,
): Promise<Content> {
  const { precheck, settleMs } = trigger
  const rule = isManifest ? { ...precheck, signal: undefined, minimumShare: 0 } : precheck
  let seen = file
  for (;;) {
    const { size, mtimeMs } = seen
    const about = { size, mtimeMs }
    const most = Math.min(rule.maxBytes, MAX_REMOTE_BYTES)
    if (size === 0 && !isManifest) return { state: 'unfit', about, reason: 'it is empty' }
    if (size > most)
      return { state: 'unfit', about, reason: `it has ${grouped(size)} bytes; at most ${grouped(most)} are allowed` }
    const given = seen
    const copied = await reading(() =>
      within(DOWNLOAD_MS, (limit) => makeCopy(source, given, { path, rule, signal: limit }), { clock, signal }),
    ).catch(unlessChanged)
    const now = await source.look(file.path, { signal })
    // A copy that is complete counts, even if somebody has removed the file since.
    if (copied && (!now || hintOf(now) === hintOf(given))) {
      const known = { ...about, sha256: copied.sha256 }
      if (copied.problem === undefined) return { state: 'fit', about: known }
      return { state: 'unfit', about: known, reason: copied.problem }
    }
    if (!now) return { state: 'gone' }
    if (!isTaken) return { state: 'changed' }
    await clock.sleep(Math.max(settleMs, 1000), signal)
    seen = (await source.look(file.path, { signal })) ?? now
  }
}

function unlessChanged(error: unknown): undefined {
  if (remoteCodeOf(error) !== 'source-file-changed') throw error
}
