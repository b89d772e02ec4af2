import { formatNumber } from '../../../core/format/figures.ts'

const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

/** `5.2K`, for axes. */
export function shortNumberText(value: number): string {
  return Math.abs(value) < 10_000 ? formatNumber(value) : short.format(value)
}
