import type { SteadyClock } from '../core/clock.ts'
import { type TriggerRef, triggerRefOf } from '../core/occurrence.ts'
import type { TriggerSummary } from '../state/occurrence-store.ts'
import type { ReadableState } from '../state/state.ts'
import { localDisk } from '../triggers/watch/disk.ts'
import {
  findRivals,
  findRound,
  RIVALS_HINT,
  rivalsText,
  roundText,
  type Stop,
  type Stops,
} from '../triggers/watch/stops.ts'
import { unsharedFolders } from '../triggers/watch/unshared-folders.ts'
import { pathOf, type Watch } from '../triggers/watch/watch.ts'
import { WatchTriggers } from '../triggers/watch/watch-triggers.ts'
import { ignoredFiles } from './ignored-files.ts'
import type { FolderStatus, FolderUnwatched } from './status-report.ts'

/** What happened to the occurrences of a trigger; undefined if it has none. */
export type SummaryOf = (ref: TriggerRef) => TriggerSummary | undefined

/** Each watched folder: its problems, its open files, and what happened to the files of the last day. */
export async function folderStatuses(
  watches: readonly Watch[],
  {
    summaryOf,
    occurrences,
    clock,
  }: {
    summaryOf: SummaryOf
    occurrences: ReadableState['occurrences']
    clock: SteadyClock
  },
): Promise<FolderStatus[]> {
  const triggers = new WatchTriggers(localDisk, clock)
  triggers.replace(watches)
  const stops = await triggers.stops()
  return Promise.all(
    watches.map(async (watch) => {
      const ref = triggerRefOf(watch)
      const known = summaryOf(ref)
      const warnings = warningsOf(watch, await triggers.stopOf(watch), stops)
      return {
        ...ref,
        path: pathOf(watch),
        warnings: warnings.length > 0 ? warnings : undefined,
        open: known?.open ?? 0,
        ignored: await ignoredFiles(occurrences, ref),
        lastDay: lastDayOfFiles(known),
      }
    }),
  )
}

/** The outcomes of the files of a trigger. */
export function lastDayOfFiles(known: TriggerSummary | undefined): FolderStatus['lastDay'] {
  const { ran = 0, skipped = 0, failed = 0 } = known?.recent ?? {}
  const { runs: outcomes = {} } = known ?? {}
  return { ran, runFailed: (outcomes.failed ?? 0) + (outcomes.cancelled ?? 0), outcomes, skipped, failed }
}

/** Why a trigger does not take the files of its folder, or why other triggers take some of them, too. */
function warningsOf(watch: Watch, stop: Stop, stops: Stops): readonly string[] {
  const [rivals, round] = [findRivals(stop, stops), findRound(stop, stops)]
  return [
    ...(round ? [`nothing is taken: ${roundText(round)}`] : []),
    ...(rivals.length > 0 ? [`${rivalsText(stop, rivals, pathOf(watch))}; ${RIVALS_HINT}`] : []),
  ]
}

/** The folders that workers on many machines do not watch, because only one machine sees them. */
export function foldersUnwatched(watches: readonly Watch[]): FolderUnwatched[] {
  return unsharedFolders(watches).map(({ command, ...folder }) => ({
    ...folder,
    reason: 'notShared',
    commands: [command],
  }))
}
