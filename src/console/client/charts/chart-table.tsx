import { useSignal } from '@preact/signals'
import { RunLink } from '../runs/run-link.tsx'
import { Status } from '../ui/status.tsx'
import { Head, Table } from '../ui/table.tsx'
import { Time, TimeHead } from '../ui/time.tsx'
import type { RunChartData } from './run-chart-data.ts'

/** What a chart shows as numbers, newest first. It is made when somebody opens it. */
export function ChartTable({ data: { title, points, text, bandText, marked } }: { readonly data: RunChartData }) {
  const isOpen = useSignal(false)
  const head = (
    <>
      <Head>Run</Head>
      <TimeHead>Submitted</TimeHead>
      <Head>Status</Head>
      <Head right>{title}</Head>
      {bandText !== undefined && <Head right>Expected</Head>}
      <Head>Note</Head>
    </>
  )
  return (
    <details class="disclosure" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen.value && (
        <Table label={`${title}, run by run`} head={head} dense>
          {points.toReversed().map((point) => (
            <tr key={point.runId}>
              <td>
                <RunLink runId={point.runId} />
              </td>
              <td>
                <Time at={point.at} />
              </td>
              <td>
                <Status status={point.status} short />
              </td>
              <td class="right figure">{text(point.value)}</td>
              {bandText !== undefined && (
                <td class="right figure">
                  {point.expected ? `${text(point.expected.low)} to ${text(point.expected.high)}` : '–'}
                </td>
              )}
              <td>{point.verdict ?? (marked.isMarked(point) ? marked.text : '')}</td>
            </tr>
          ))}
        </Table>
      )}
    </details>
  )
}
