export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export interface TimeScale {
  /** The position of a time, from 0 to 100. */
  at(ms: number): number
  /** The waits that are folded, each with its position. */
  readonly folds: readonly (TimeSpan & { readonly left: number; readonly width: number })[]
}

const FOLD_FROM = 0.4
const FOLDED_WIDTH = 6
/** About how many marks an axis of numbers has. */
const MARKS = 4

/**
 * Turns the times of a run into positions on a line. A wait for a person that takes over 40 % of the whole time is
 * folded into a narrow strip, so that the work stays readable.
 */
export function timeScale(whole: TimeSpan, waits: readonly TimeSpan[]): TimeScale {
  const length = Math.max(1, whole.to - whole.from)
  const folded = merged(waits).filter(({ from, to }) => (to - from) / length > FOLD_FROM)
  const shownMs = Math.max(1, length - folded.reduce((sum, { from, to }) => sum + to - from, 0))
  const perMs = (100 - folded.length * FOLDED_WIDTH) / shownMs
  const at = (ms: number) => {
    const place = Math.min(Math.max(ms, whole.from), whole.to)
    let result = (place - whole.from) * perMs
    for (const { from, to } of folded) {
      const inside = Math.min(Math.max(place - from, 0), to - from)
      result += (inside / (to - from)) * FOLDED_WIDTH - inside * perMs
    }
    return result
  }
  return { at, folds: folded.map((fold) => ({ ...fold, left: at(fold.from), width: at(fold.to) - at(fold.from) })) }
}

function merged(spans: readonly TimeSpan[]): TimeSpan[] {
  const result: TimeSpan[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last && span.from <= last.to) result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else result.push(span)
  }
  return result
}

/**
 * An axis that includes all values, has marks at round numbers, and begins at 0 unless that would hide the differences.
 */
export function niceScale(values: readonly number[]) {
  const highest = Math.max(0, ...values)
  const lowest = Math.min(...values, highest)
  const base = lowest > highest * 0.7 && lowest < highest ? lowest - (highest - lowest) * 0.5 : Math.min(0, lowest)
  const step = roundStep((highest - base || MARKS) / MARKS)
  const low = Math.floor(base / step) * step
  const high = Math.max(low + step, Math.ceil(highest / step) * step)
  const count = Math.round((high - low) / step)
  return { low, high, ticks: Array.from({ length: count + 1 }, (_, index) => low + index * step) }
}

/** The next of 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 5, 10].find((one) => one * power >= step * 0.999) ?? 10
  return factor * power
}
