import { statfsSync } from 'node:fs'
import { sqliteCode } from '../core/code-of.ts'
import { messageOf } from '../core/message-of.ts'
import { isFull, MAKE_ROOM, systemHint } from '../core/system-hint.ts'
import { tried } from '../core/tried.ts'

/** The explanation of an error from the system or from SQLite, for people. */
interface Trouble {
  /** The end of a sentence that names the file. */
  readonly why: string
  /** What to do about it; undefined if the error does not say. */
  readonly repair: string | undefined
}

/** Explains an error about a file in this folder. A full disk takes precedence, whatever the error says. */
export function explainTrouble(error: unknown, folder: string): Trouble {
  if (isDiskFull(error, folder)) return { why: 'its disk is full', repair: MAKE_ROOM }
  return { why: messageOf(error), repair: systemHint(error) }
}

/**
 * What SQLite reports when there is no space for a file beside the database: SQLITE_IOERR and SQLITE_CANTOPEN. They
 * have other causes, too.
 */
const MAYBE_FULL: ReadonlySet<number> = new Set([10, 14])

/** Whether an error about a file in this folder means that its disk is full. */
function isDiskFull(error: unknown, folder: string): boolean {
  const code = sqliteCode(error)
  return isFull(error) || (code !== undefined && MAYBE_FULL.has(code) && hasNoRoom(folder))
}

/** The largest file that SQLite creates at once is the index of its log. It has 32 KiB. */
const TOO_LITTLE = 64 * 1024

function hasNoRoom(folder: string): boolean {
  const stats = tried(() => statfsSync(folder))
  if (!stats) return false
  const { blocks, bavail, bsize, files, ffree } = stats
  // Some network file systems do not report their size.
  return (blocks > 0 && bavail * bsize < TOO_LITTLE) || (files > 0 && ffree === 0)
}
