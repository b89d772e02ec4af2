import { hintOf, type RemoteFile } from '../../core/remote-source.ts'
import type { LedgerFile } from '../../state/remote-ledger.ts'
import { decideSettled, type Seen } from '../watch/decide-settled.ts'

/** What a look at a folder leads to. */
interface LookDecision {
  /** The files to take now, oldest first. */
  readonly take: readonly RemoteFile[]
  /** The tickets of kept files that are not there any more, or look different. */
  readonly forget: readonly string[]
  /** What to keep for the next look. */
  readonly seen: Map<string, Seen>
  /** How many files are there that nobody has taken yet, with those to take now. */
  readonly waiting: number
  /** When the next file can be taken, if it does not change. */
  readonly nextAt?: number
}

/**
 * Compares a whole listing with the ledger. It never keeps the newest time so far: a file may come late with an old time, and two may have
 * the same.
 */
export function decideLook(
  files: readonly RemoteFile[],
  ledger: readonly LedgerFile[],
  before: ReadonlyMap<string, Seen>,
  { now, settleMs }: { readonly now: number; readonly settleMs: number },
): LookDecision {
  const known = new Set(ledger.map(({ path, hint }) => `${hint} ${path}`))
  const listed = new Map(files.map((file) => [`${hintOf(file)} ${file.path}`, file]))
  const fresh = [...listed].flatMap(([id, file]) => (known.has(id) ? [] : [file]))
  const byPath = new Map(fresh.map((file) => [file.path, file]))
  const { seen, settled, nextAt } = decideSettled(
    fresh.map(({ path, size, mtimeMs, version }) => ({ name: path, size, mtimeMs, version, ino: 0, isMarked: false })),
    before,
    // Two looks at least: of one alone nobody knows whether the file changes.
    { now, settleMs: Math.max(1, settleMs) },
  )
  return {
    take: settled.flatMap(({ name }) => byPath.get(name) ?? []),
    forget: ledger.flatMap(({ ticket, state, path, hint }) =>
      state === 'kept' && !listed.has(`${hint} ${path}`) ? [ticket] : [],
    ),
    seen,
    waiting: fresh.length,
    nextAt,
  }
}
