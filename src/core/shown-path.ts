/** The folder for the files of runs, inside a watched folder or the folder with copies of remote files. */
export const TAKEN_FOLDER = '.taken'

/** The path of a file in messages. For a dropped file, only the name, because its location means nothing to people. */
export function shownPath(path: string): string {
  return isTaken(path) ? (partsOf(path).at(-1) ?? path) : path
}

/** Whether a path belongs to a dropped file that its run is working on. */
export function isTaken(path: string): boolean {
  return partsOf(path).includes(TAKEN_FOLDER)
}

/** What to do if a dropped file is gone because the run for which it was taken has ended. */
export const DROP_AGAIN =
  'a trigger took it, and filed it away as failed when its run ended; put it back with `audience files drop-again`: that starts a run'

function partsOf(path: string): readonly string[] {
  return path.split(/[\\/]/)
}
