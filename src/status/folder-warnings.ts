import { systemClock } from '../platform/clock.ts'
import { localDisk } from '../triggers/watch/disk.ts'
import { findRivals, findRound, RIVALS_HINT, rivalsText, roundText } from '../triggers/watch/stops.ts'
import { Surroundings } from '../triggers/watch/surroundings.ts'
import { pathOf, type Watch } from '../triggers/watch/watch.ts'

/** Why the files of each watched folder are not taken, or not by its trigger alone; none for most. */
export async function folderWarnings(watches: readonly Watch[]): Promise<readonly (readonly string[])[]> {
  const around = new Surroundings(localDisk, systemClock)
  around.replace(watches)
  const stops = await around.stops()
  return Promise.all(
    watches.map(async (watch) => {
      const stop = await around.stopOf(watch)
      const [rivals, round] = [findRivals(stop, stops), findRound(stop, stops)]
      return [
        ...(round ? [`nothing is taken: ${roundText(round)}`] : []),
        ...(rivals.length > 0 ? [`${rivalsText(stop, rivals, pathOf(watch))}; ${RIVALS_HINT}`] : []),
      ]
    }),
  )
}
