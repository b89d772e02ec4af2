/** The folder inside of a watched one, or of the copies of remote files, in which the files of runs lie. */
export const TAKEN_FOLDER = '.taken'

/** The path of a file in messages for people. Of a dropped file only the name: its place means nothing to people. */
export function shownPath(path: string): string {
  return isTaken(path) ? (partsOf(path).at(-1) ?? path) : path
}

/** Whether a path is that of a dropped file that its run works on. */
export function isTaken(path: string): boolean {
  return partsOf(path).includes(TAKEN_FOLDER)
}

/** What to do if such a file is gone: the run that it was taken for has ended. */
export const DROP_AGAIN =
  'a trigger took it, and filed it away as failed when its run ended; put it back with `audience files drop-again`: that starts a run'

function partsOf(path: string): readonly string[] {
  return path.split(/[\\/]/)
}
