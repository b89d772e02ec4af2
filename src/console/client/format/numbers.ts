import { formatNumber } from '../../../core/format/figures.ts'

const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

/** A short number for axes, such as `5.2K`. */
export function shortNumberText(value: number): string {
  return Math.abs(value) < 10_000 ? formatNumber(value) : short.format(value)
}
