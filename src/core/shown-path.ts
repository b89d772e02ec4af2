/** The folder inside of a watched one in which the files of runs lie. */
export const TAKEN_FOLDER = '.taken'

/** The path of a file in messages for people; of a dropped file its name, because it lies where only its run looks for it. */
export function shownPath(path: string): string {
  const parts = path.split(/[\\/]/)
  return parts.includes(TAKEN_FOLDER) ? (parts.at(-1) ?? path) : path
}
