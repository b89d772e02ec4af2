/** Whether the top of the list is visible. If it is, the list may grow without moving rows that somebody is reading. */
export function isTopInSight(): boolean {
  return scrollY < 80
}

/** Says how many rows wait above a list, and has a button to show them. It stays visible wherever the reader is. */
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
