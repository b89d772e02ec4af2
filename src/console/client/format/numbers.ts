const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 })
const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

/** `5,202` */
export function numberText(value: number): string {
  return whole.format(value)
}

/** `5.2K`, for axes. */
export function shortNumberText(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value)
}

/** `165.9 kB` */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`
}

/** `1 run`, `3 runs` */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}

/** `+12.5 %`, from one number to another; '' where that says nothing. */
export function changeText(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined || from === 0) return ''
  const percent = ((to - from) / Math.abs(from)) * 100
  if (Math.abs(percent) < 0.05) return '±0 %'
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`
}
