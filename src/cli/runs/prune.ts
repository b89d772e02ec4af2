import { join } from 'node:path'
import { countExpired, type PrunePolicy, pruneHistory, prunePolicy } from '../../acts/prune-history.ts'
import { type StateSpace, spaceOf } from '../../app/state-files.ts'
import { membershipFolder } from '../../config/settings.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import { count, formatBytes } from '../../core/format/figures.ts'
import type { Actor } from '../../core/run.ts'
import { removeExpiredFingerprints } from '../../membership/remove-fingerprints.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { durationOption } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import { type Terminal, untilInterrupt } from '../terminal.ts'
import { withState } from '../with-state.ts'

export interface PruneFlags extends SignFlags {
  readonly olderThan?: string
  readonly keep?: number
  readonly dryRun?: true
}

/** Work that takes longer shows its progress. */
const SHOW_AFTER_MS = 1000
/** A smaller amount is not worth reporting. */
const WORTH_BYTES = 1_000_000

/** Removes runs that ended long ago, in small batches; an interrupt stops it between two batches. */
export async function prune({ olderThan, keep, dryRun, ...sign }: PruneFlags, terminal: Terminal): Promise<number> {
  const { out } = terminal
  const settings = settingsOf(terminal)
  const { clock } = terminal.surroundings
  const actor = signedBy(sign, terminal)
  const olderThanMs = olderThan === undefined ? undefined : durationOption(olderThan)
  const policy = prunePolicy({ olderThanMs, keep }, { retention: settings.retention, now: clock.now() })
  const total = await lookAtRuns(terminal, (runs) => countExpired(policy, { runs }))
  if (dryRun) {
    out.write(`would remove ${count(total, 'run')}\n`)
    return 0
  }
  const removed = total === 0 ? 0 : await removeRuns(policy, actor, total, terminal)
  const lists = await lookAtRuns(terminal, (runs) =>
    removeExpiredFingerprints(membershipFolder(settings), settings.privacy.membership, {
      now: clock.now(),
      runs,
    }),
  )
  const andLists = lists > 0 ? ` and the fingerprints of ${count(lists, 'list')}` : ''
  const space = removed > 0 && !settings.database ? describeSpace(spaceOf(join(settings.state, 'runs.db'))) : ''
  out.write(`removed ${count(removed, 'run')}${andLists}\n${space}`)
  return removed < total ? EXIT_CODES.interrupted : 0
}

/** Shows the progress on a terminal. */
async function removeRuns(policy: PrunePolicy, actor: Actor, total: number, terminal: Terminal): Promise<number> {
  const { err } = terminal
  const { clock } = terminal.surroundings
  using interrupted = untilInterrupt(terminal)
  const { signal } = interrupted
  const started = clock.steady()
  const clearLine = () => err.write('\r\u001b[K')
  let isShown = false
  const onRemoved = (so: number) => {
    if (!err.isTTY || clock.steady() - started < SHOW_AFTER_MS) return
    isShown = true
    clearLine()
    err.write(`removed ${so} of ${count(total, 'run')}`)
  }
  const removed = await withState(terminal, ({ runs, audit }) =>
    pruneHistory(policy, actor, { runs, audit, clock, steadyMs: clock.steady, signal, onRemoved }),
  )
  if (isShown) clearLine()
  return removed
}

function describeSpace({ bytes, freeBytes }: StateSpace): string {
  if (freeBytes < WORTH_BYTES) return ''
  return `runs.db keeps its size, ${formatBytes(bytes)}; ${formatBytes(freeBytes)} of that is free for new runs. \`audience state compact\` gives this space back to the disk.\n`
}
