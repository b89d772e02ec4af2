import type { Signal } from '@preact/signals'
import { formatNumber } from '../../../core/format/figures.ts'

interface PagerProps {
  /** What is listed, such as `Items` or `Rows`. */
  what: string
  offset: Signal<number>
  total: number
  size: number
}

/** Says which part of a long list is shown, and links to the parts before and after it. */
export function Pager({ what, offset, total, size }: PagerProps) {
  const from = offset.value
  const move = (to: number) => {
    if (to < total) offset.value = Math.max(0, to)
  }
  return (
    <span class="pager">
      <span role="status">
        {what} {formatNumber(from + 1)} to {formatNumber(Math.min(from + size, total))} of {formatNumber(total)}
      </span>
      <button type="button" aria-disabled={from === 0} onClick={() => move(from - size)}>
        Before
      </button>
      <button type="button" aria-disabled={from + size >= total} onClick={() => move(from + size)}>
        Next
      </button>
    </span>
  )
}
