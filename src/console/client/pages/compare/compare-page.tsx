import { formatDuration } from '../../../../core/format/duration-text.ts'
import type { Comparison } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { valueText } from '../../format/value-text.ts'
import { RunTable } from '../../runs/run-table.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { type Column, Rows } from '../../ui/table.tsx'
import { FigureTable } from './figure-table.tsx'

/** Two runs side by side: the older one first. */
export function ComparePage({ runId, other }: { runId: string; other: string }) {
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
              <Rows
                label="Inputs of both runs"
                rows={comparison.inputs}
                columns={INPUTS}
                keyOf={({ name }) => name}
                empty="Neither has inputs."
                dense
              />
            </Section>
            <Section title="Durations">
              <Rows
                label="Durations of the steps of both runs"
                rows={comparison.durations}
                columns={DURATIONS}
                keyOf={({ step }) => step}
                empty="No step has ended."
                dense
              />
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

const INPUTS: readonly Column<Comparison['inputs'][number]>[] = [
  [
    'Input',
    ({ name, same }) => (
      <>
        {name} {!same && <span class="chip wait">differs</span>}
      </>
    ),
    'name',
  ],
  ['First run', ({ a }) => valueText(a), 'text'],
  ['Second run', ({ b }) => valueText(b), 'text'],
]

const DURATIONS: readonly Column<Comparison['durations'][number]>[] = [
  ['Step', ({ step }) => step, 'name'],
  ['First run', ({ a }) => tookText(a), 'right figure'],
  ['Second run', ({ b }) => tookText(b), 'right figure'],
]

function tookText(ms: number | undefined): string {
  return ms === undefined ? '–' : formatDuration(ms)
}
