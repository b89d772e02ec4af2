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

function partsOf(path: string): readonly string[] {
  return path.split(/[\\/]/)
}
