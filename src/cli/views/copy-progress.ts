import { formatDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'

/** A copy that takes less time shows no progress. */
const SHOWN_AFTER_MS = 1000
const SHOWN_EVERY_MS = 200
const NEW_LINE = '\r\u001b[K'

/** One line on a terminal that shows the progress of a copy; nothing elsewhere. */
export function copyProgress(
  { isTTY, write }: { isTTY: boolean | undefined; write: (text: string) => void },
  now: () => number,
): { show(progress: { table: string; rows: number }): void; end(): void } {
  const startedAt = now()
  let shownAt: number | undefined
  return {
    show({ table, rows }) {
      const at = now()
      if (!isTTY || at - startedAt < SHOWN_AFTER_MS || at - (shownAt ?? 0) < SHOWN_EVERY_MS) return
      shownAt = at
      write(`${NEW_LINE}copying ${table}: ${count(rows, 'row')}, ${formatDuration(at - startedAt)}`)
    },
    end() {
      if (shownAt !== undefined) write(NEW_LINE)
    },
  }
}
