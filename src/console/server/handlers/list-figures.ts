import type { Band } from '../../../core/guard.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { isFigure } from '../../../runs/figures-beside.ts'
import { bandOf } from '../../../runs/guards/band.ts'
import type { RunHistory, RunRow } from '../../../state/run-history.ts'
import type { ApiHandlers } from '../call.ts'
import { type BandedSeries, guardSeries } from '../guard-series.ts'

const USUAL_RUNS = 60
/** The number of earlier values that are also read. The band of the first shown point needs them. */
const BEFORE = 20

export const figureHandlers = {
  /**
   * The numbers of the latest runs of a pipeline, each with the band that follows from the earlier good runs. Also
   * returns what the guards of the pipeline measured.
   */
  'pipelines.figures': async ({ state, documents }, input) => {
    const { pipeline, step, name, limit = USUAL_RUNS } = input
    const last = { pipeline, limit: limit + BEFORE }
    const document = documents().get(pipeline)
    const [{ rows }, found, guarded] = await Promise.all([
      state.runs.page(last),
      state.runs.figures({ ...last, step, name }),
      document ? guardSeries(document.pipeline, { history: state.runs, shown: limit }) : [],
    ])
    const runs = new Map(rows.map((row) => [row.runId, row]))
    const shown = new Map([...runs].slice(0, limit))
    const isAsked = (one: BandedSeries) =>
      (step === undefined || one.step === step) && (name === undefined || one.name === name)
    const numbers = found.toReversed().filter((one) => isFigure(one.name))
    const figures = Map.groupBy(numbers, (one) => `${one.step}\n${one.name}`)
    const outputs = [...figures.values()].map((figure) => outputSeries(figure, runs))
    const series = [...guarded.filter(isAsked), ...outputs].map((one) => ({
      step: one.step,
      name: one.name,
      points: one.values.flatMap(({ runId, ...value }) => {
        const row = shown.get(runId)
        if (!row) return []
        const { submittedAt, status, triggerLabel } = row
        return [{ runId, at: isoTime(submittedAt), status, label: triggerLabel || undefined, ...value }]
      }),
    }))
    return { series: series.filter(({ points }) => points.length > 0) }
  },
} satisfies Partial<ApiHandlers>

type Figures = Awaited<ReturnType<RunHistory['figures']>>

/** The values of an output, oldest first, each with the band of the earlier good values. */
function outputSeries(figures: Figures, runs: ReadonlyMap<string, RunRow>): BandedSeries {
  const good: number[] = []
  const values = figures.map(({ runId, value }) => {
    const expected = expectedBand(good)
    if (runs.get(runId)?.status === 'succeeded') good.push(value)
    return { runId, value, expected }
  })
  const [{ step, name } = { step: '', name: '' }] = figures
  return { step, name, values }
}

const GOOD_RUNS = 14
const AT_LEAST = 7

/**
 * The band of the last 14 good values, which are given oldest first; undefined if there are fewer than seven. It only
 * explains a chart, so it may be as wide as the spread of the values. A guard's band has a maximum width.
 */
function expectedBand(good: readonly number[]): Band | undefined {
  const last = good.slice(-GOOD_RUNS)
  return last.length < AT_LEAST ? undefined : bandOf(last, Number.POSITIVE_INFINITY)
}
