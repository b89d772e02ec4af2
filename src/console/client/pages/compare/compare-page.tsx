import { formatDuration } from '../../../../core/format/duration-text.ts'
import type { Comparison } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { valueText } from '../../format/value-text.ts'
import { RunTable } from '../../runs/run-table.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { FigureTable } from './figure-table.tsx'

/** Two runs side by side: the older one first. */
export function ComparePage({ runId, other }: { readonly runId: string; readonly other: string }) {
  const [a, b] = [runId, other].toSorted()
  const read = useRead('/runs/{runId}/compare/{other}', { runId: a ?? '', other: b ?? '' })
  return (
    <Page title="Two runs side by side">
      <Loaded read={read} rows={10}>
        {(comparison) => (
          <>
            <RunTable runs={[comparison.a, comparison.b]} label="The two runs, the older one first" />
            <Section title="Figures">
              <FigureTable figures={comparison.figures} names={['First run', 'Second run']} />
            </Section>
            <Section title="Inputs">
              <Inputs inputs={comparison.inputs} />
            </Section>
            <Section title="Durations">
              <Durations durations={comparison.durations} />
            </Section>
            <Section title="Document">
              {comparison.document.same ? (
                <Empty>Both ran the same document.</Empty>
              ) : (
                <Diff lines={comparison.document.diff} label="From the first document to the second" />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Inputs({ inputs }: Pick<Comparison, 'inputs'>) {
  if (inputs.length === 0) return <Empty>Neither has inputs.</Empty>
  const head = (
    <>
      <Head>Input</Head>
      <Head>First run</Head>
      <Head>Second run</Head>
    </>
  )
  return (
    <Table label="Inputs of both runs" head={head} dense>
      {inputs.map(({ name, a, b, same }) => (
        <tr key={name}>
          <td class="name">
            {name} {!same && <span class="chip wait">differs</span>}
          </td>
          <td class="text">{valueText(a)}</td>
          <td class="text">{valueText(b)}</td>
        </tr>
      ))}
    </Table>
  )
}

function Durations({ durations }: Pick<Comparison, 'durations'>) {
  if (durations.length === 0) return <Empty>No step has ended.</Empty>
  const text = (ms: number | undefined) => (ms === undefined ? '–' : formatDuration(ms))
  const head = (
    <>
      <Head>Step</Head>
      <Head right>First run</Head>
      <Head right>Second run</Head>
    </>
  )
  return (
    <Table label="Durations of the steps of both runs" head={head} dense>
      {durations.map(({ step, a, b }) => (
        <tr key={step}>
          <td class="name">{step}</td>
          <td class="right figure">{text(a)}</td>
          <td class="right figure">{text(b)}</td>
        </tr>
      ))}
    </Table>
  )
}
