const UNITS = { MB: 1e6, GB: 1e9, TB: 1e12 } as const

/** What a size looks like: `512MB`, `10GB`, `1TB`. */
export const SIZE_PATTERN = '^[0-9]{1,6}(MB|GB|TB)$'

/** Bytes of `512MB`, `10GB` or `1TB`: decimal units, as sizes are shown. Undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,6})(MB|GB|TB)$/.exec(text)
  return match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : undefined
}
