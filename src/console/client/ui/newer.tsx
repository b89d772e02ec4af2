/** Whether a list may grow at its top without moving the rows that somebody reads. */
export function isTopInSight(): boolean {
  return scrollY < 80
}

/** Says how many rows there are above a list, and offers them. It stays in sight wherever the reader is. */
export function Newer({ count, show }: { count: number; show: () => void }) {
  return (
    <div class="newer" aria-live="polite">
      {count > 0 && (
        <button type="button" onClick={show}>
          {count} newer – show
        </button>
      )}
    </div>
  )
}
