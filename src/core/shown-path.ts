/** The folder inside of a watched one in which the files of runs lie. */
export const TAKEN_FOLDER = '.taken'

/** The path of a file in messages for people; of a dropped file its name, because it lies where only its run looks for it. */
export function shownPath(path: string): string {
  return isTaken(path) ? (partsOf(path).at(-1) ?? path) : path
}

/** Whether it is the path of a dropped file while its run works on it. */
export function isTaken(path: string): boolean {
  return partsOf(path).includes(TAKEN_FOLDER)
}

/** What to do where such a file is gone: the run that it was taken for has ended. */
export const DROP_AGAIN =
  'it came in a watched folder and was moved to its folder for failed files when its run ended; put it back with `audience files drop-again`: that starts a run'

function partsOf(path: string): readonly string[] {
  return path.split(/[\\/]/)
}
