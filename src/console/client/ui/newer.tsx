/** Says how many rows there are above a list, and offers them. It stays in sight wherever the reader is. */
export function Newer({ count, show }: { readonly count: number; readonly show: () => void }) {
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
