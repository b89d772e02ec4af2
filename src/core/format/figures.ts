/** A whole number, or its digits, for people: `5,201`. */
export function grouped(value: number | string): string {
  // Intl would do the same, but takes 20 ms to load.
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 row`, `5,201 rows`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`
}

/**
 * A number for people: `12,345`, `0.3421`, `866.5`. Numbers of 1,000 or more have no fraction; all others have at most
 * four significant digits.
 */
export function formatNumber(value: number): string {
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4))
  const [whole = '', fraction] = String(rounded).split('.')
  if (whole.includes('e')) return String(rounded)
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
}

/** A number for the axis of a chart: `5,201`, `12.3k`, `1.2m`. */
export function formatShortNumber(value: number): string {
  const size = Math.abs(value)
  if (size < 10_000) return formatNumber(value)
  const [unit, name] = size < 999_950 ? [1e3, 'k'] : size < 999_950_000 ? [1e6, 'm'] : [1e9, 'bn']
  return `${formatNumber(Math.round((value / unit) * 10) / 10)}${name}`
}

/** A share from 0 to 1 for people: `20 %`, `7.25 %`. */
export function formatShare(share: number): string {
  return `${formatNumber(share * 100)} %`
}

/** The change from one number to another, such as `+12.5 %`; '' if that would say nothing. */
export function changeText(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined || from === 0) return ''
  const percent = ((to - from) / Math.abs(from)) * 100
  if (Math.abs(percent) < 0.05) return '±0 %'
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`
}

/** `812 B`, `140.2 kB`, `157.3 MB`: decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** A size that a message names as a limit, never rounded: `4 MB`, `157,286,400 bytes`. */
export function formatSizeLimit(bytes: number): string {
  if (bytes < 1000 || bytes % 1000 !== 0) return count(bytes, 'byte')
  if (bytes % 1_000_000 !== 0) return `${grouped(bytes / 1000)} kB`
  return `${grouped(bytes / 1_000_000)} MB`
}
