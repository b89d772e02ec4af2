const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A span as people say it: `0.4 s`, `12.4 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 0) return durationText(0)
  if (ms < MINUTE - 50) return `${ms < 10_000 ? trim(ms / 1000) : (ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 1440) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(ms / HOUR)
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** A span that is still growing, without tenths, so that it does not flicker: `12 s`, `3 min`. */
export function roughDurationText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return two(Math.floor(ms / HOUR), 'h', Math.floor((ms % HOUR) / MINUTE), 'min')
  return two(Math.floor(ms / DAY), 'd', Math.floor((ms % DAY) / HOUR), 'h')
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}

function trim(seconds: number): string {
  return seconds.toFixed(seconds < 0.095 && seconds > 0 ? 2 : 1)
}
