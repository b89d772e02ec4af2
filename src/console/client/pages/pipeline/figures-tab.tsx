import type { FigureSeries } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { RunChart } from '../../charts/run-chart.tsx'
import { figureChart, seriesTitle } from '../../charts/run-chart-data.ts'
import type { Change } from '../../live/changes.ts'
import { place, setQuery } from '../../router/location.ts'
import { Select } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'

/** The numbers of a pipeline's steps, run by run, one number at a time. The match count comes first. */
export function FiguresTab({ name }: { name: string }) {
  const read = useRead('pipelines.figures', { pipeline: name }, endedOf(name))
  return (
    <Loaded read={read} rows={6}>
      {({ series }) => {
        const shown =
          series.find((one) => keyOf(one) === place.value.query.get('figure')) ?? series.toSorted(byInterest)[0]
        const choice = shown && (
          <Select
            name="Figure"
            value={keyOf(shown)}
            choices={series.map((one) => [keyOf(one), seriesTitle(one)])}
            onChoice={(figure) => setQuery({ figure })}
          />
        )
        return (
          <Section title="Figures" aside={choice}>
            {shown ? (
              <RunChart key={keyOf(shown)} data={figureChart(shown)} />
            ) : (
              <Empty>Its runs have no numbers in their outputs yet.</Empty>
            )}
          </Section>
        )
      }}
    </Loaded>
  )
}

function keyOf({ step, name }: FigureSeries): string {
  return `${step}.${name}`
}

const INTERESTING = [/^matchCount$/, /count/i, /rows/i]

function byInterest(a: FigureSeries, b: FigureSeries): number {
  const rank = ({ name }: FigureSeries) => {
    const at = INTERESTING.findIndex((pattern) => pattern.test(name))
    return at === -1 ? INTERESTING.length : at
  }
  return rank(a) - rank(b) || b.points.length - a.points.length
}

/** Whether a change says that a run of a pipeline has ended. */
export function endedOf(pipeline: string): (change: Change) => boolean {
  return (change) =>
    change.kind === 'runs' && change.runs.some((run) => run.pipeline === pipeline && run.finishedAt !== undefined)
}
