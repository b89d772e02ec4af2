import { formatNumber } from '../../../core/format/figures.ts'

const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

/** `5.2K`, for axes. */
export function shortNumberText(value: number): string {
  return Math.abs(value) < 10_000 ? formatNumber(value) : short.format(value)
}

/** `+12.5 %`, from one number to another; '' where that says nothing. */
export function changeText(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined || from === 0) return ''
  const percent = ((to - from) / Math.abs(from)) * 100
  if (Math.abs(percent) < 0.05) return '±0 %'
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`
}
