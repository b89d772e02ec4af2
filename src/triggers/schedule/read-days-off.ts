import { statSync } from 'node:fs'
import { decodeText } from '../../core/decode-text.ts'
import { AudienceError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import { readBounded } from '../../platform/read-bounded.ts'
import { type DaysOff, DaysOffError } from './days-off.ts'
import { parseDaysOff } from './parse-days-off.ts'
import { timeZone } from './time-zone.ts'

/** More than the characters that a list of days off may have. */
const MAX_BYTES = 20_000_000

/**
 * The current days off of a file. It is read now, and when `has` is asked after a change. If the file can no longer be
 * read, the last good content stays in force and `onProblem` is called once. If there is no good content, `has` throws an AudienceError.
 * Nothing that the file does throws anything else.
 */
export function readDaysOff(options: {
  /** An absolute path. */
  readonly path: string
  readonly timezone: string
  /** Throws an AudienceError if the file may not be read; checks the present targets of symbolic links. */
  readonly checkFile: (path: string) => void
  readonly onProblem: (problem: AudienceError) => void
}): DaysOff {
  const { path, timezone, checkFile, onProblem } = options
  const zone = timeZone(timezone)
  let good: DaysOff | undefined
  let seen = ''
  let problem: AudienceError | undefined
  const look = () => {
    const version = versionOf(path)
    if (version === seen) return
    seen = version
    try {
      good = parseDaysOff(path, decodeText(readBounded(path, MAX_BYTES, checkFile)), zone)
      problem = undefined
    } catch (error) {
      problem = unreadable(path, error)
      if (good) onProblem(problem)
    }
  }
  // Not only when a slot comes: by then the file may be broken.
  look()
  return {
    has(date) {
      look()
      if (!good) throw problem ?? unreadable(path, undefined)
      return good.has(date)
    },
  }
}

function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return messageOf(error)
  }
}

function unreadable(path: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  const why = isMissing ? 'there is no such file' : messageOf(error)
  const repair = error instanceof DaysOffError ? error.hint : 'put the file back'
  return new AudienceError({
    code: 'days-off-unreadable',
    kind: 'failed',
    message: `the days off in ${path} cannot be read: ${why}`,
    hint: `${repair}; until then the schedule goes by what it said last`,
    cause: error,
  })
}
