interface Dot {
  readonly x: number
  readonly y: number
}

interface Range {
  readonly x: number
  readonly low: number
  readonly high: number
}

/** An SVG path through the dots. The line breaks where a dot is missing. */
export function linePath(dots: readonly (Dot | undefined)[]): string {
  return stretches(dots)
    .map((stretch) => `M${stretch.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L')}`)
    .join('')
}

/** An SVG path of the area between the ends of the ranges. The area breaks where a range is missing. */
export function bandPath(ranges: readonly (Range | undefined)[]): string {
  return stretches(ranges)
    .map((stretch) => {
      const upper = stretch.map(({ x, high }) => `${round(x)} ${round(high)}`)
      const lower = stretch.toReversed().map(({ x, low }) => `${round(x)} ${round(low)}`)
      return `M${[...upper, ...lower].join('L')}Z`
    })
    .join('')
}

function stretches<T>(items: readonly (T | undefined)[]): T[][] {
  const result: T[][] = [[]]
  for (const item of items) {
    if (item === undefined) result.push([])
    else result.at(-1)?.push(item)
  }
  return result.filter(({ length }) => length > 0)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
