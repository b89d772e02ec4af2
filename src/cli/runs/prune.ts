import { join } from 'node:path'
import { type StateSpace, spaceOf } from '../../app/state-files.ts'
import { membershipFolder } from '../../config/settings.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import { count, formatBytes } from '../../core/format/figures.ts'
import { pruneRuns } from '../../engine/prune-runs.ts'
import { removeExpiredFingerprints } from '../../membership/remove-fingerprints.ts'
import type { RunHistory } from '../../state/run-history.ts'
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

type Policy = Parameters<typeof pruneRuns>[0]

/** More runs than a state folder can hold. */
const ALL = 2 ** 31
/** Work that takes longer shows its progress. */
const SHOW_AFTER_MS = 1000
/** A smaller amount is not worth reporting. */
const WORTH_BYTES = 1_000_000

/** Removes runs that ended long ago, in small batches; an interrupt stops it between two batches. */
export async function prune({ olderThan, keep, dryRun, ...sign }: PruneFlags, terminal: Terminal): Promise<number> {
  const { out } = terminal
  const settings = settingsOf(terminal)
  const { retention, state } = settings
  const signed = signedBy(sign, terminal)
  const ageMs = olderThan === undefined ? retention.runsMs : durationOption(olderThan)
  const policy = { before: terminal.surroundings.clock.now() - ageMs, keep: keep ?? retention.keep }
  const total = await lookAtRuns(terminal, (runs) => expiredRuns(runs, policy))
  if (dryRun) {
    out.write(`would remove ${count(total, 'run')}\n`)
    return 0
  }
  const removed =
    total === 0
      ? 0
      : await withState(terminal, async ({ runs, audit }) => {
          const gone = await removeRuns(runs, policy, total, terminal)
          await audit.add({
            ...signed,
            act: 'runs.prune',
            subject: 'runs',
            detail: count(gone, 'run'),
            outcome: 'done',
          })
          return gone
        })
  const lists = await lookAtRuns(terminal, (runs) =>
    removeExpiredFingerprints(membershipFolder(settings), settings.privacy.membership, {
      now: terminal.surroundings.clock.now(),
      runs,
    }),
  )
  const andLists = lists > 0 ? ` and the fingerprints of ${count(lists, 'list')}` : ''
  const space = removed > 0 && !settings.database ? describeSpace(spaceOf(join(state, 'runs.db'))) : ''
  out.write(`removed ${count(removed, 'run')}${andLists}\n${space}`)
  return removed < total ? EXIT_CODES.interrupted : 0
}

async function expiredRuns(runs: Pick<RunHistory, 'pipelines' | 'expired'>, policy: Policy): Promise<number> {
  let expired = 0
  for (const pipeline of await runs.pipelines())
    expired += (await runs.expired({ ...policy, pipeline, limit: ALL })).length
  return expired
}

async function removeRuns(runs: RunHistory, policy: Policy, total: number, terminal: Terminal): Promise<number> {
  const { err } = terminal
  const { clock } = terminal.surroundings
  using interrupted = untilInterrupt(terminal)
  const started = clock.steady()
  const clearLine = () => err.write('\r\u001b[K')
  let isShown = false
  const removed = await pruneRuns(policy, {
    runs,
    clock,
    steadyMs: clock.steady,
    signal: interrupted.signal,
    onRemoved(so) {
      if (!err.isTTY || clock.steady() - started < SHOW_AFTER_MS) return
      isShown = true
      clearLine()
      err.write(`removed ${so} of ${count(total, 'run')}`)
    },
  })
  if (isShown) clearLine()
  return removed
}

function describeSpace({ bytes, freeBytes }: StateSpace): string {
  if (freeBytes < WORTH_BYTES) return ''
  return `runs.db keeps its size, ${formatBytes(bytes)}; ${formatBytes(freeBytes)} of that is free for new runs. \`audience state compact\` gives this space back to the disk.\n`
}
