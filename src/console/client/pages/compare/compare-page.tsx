import { formatDuration } from '../../../../core/format/duration-text.ts'
import type { Comparison } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { RunTable } from '../../runs/run-table.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { type Column, orDash, Rows } from '../../ui/table.tsx'
import { FigureTable, InputTable } from './compare-tables.tsx'

const NAMES = ['First run', 'Second run'] as const

/** Two runs side by side, the older one first. */
export function ComparePage({ runId, other }: { runId: string; other: string }) {
  const [a, b] = [runId, other].toSorted()
  const read = useRead('runs.compare', { runId: a ?? '', other: b ?? '' })
  return (
    <Page title="Two runs side by side">
      <Loaded read={read} rows={10}>
        {(comparison) => (
          <>
            <RunTable runs={[comparison.a, comparison.b]} label="The two runs, the older one first" />
            <Section title="Figures">
              <FigureTable compared={comparison} names={NAMES} />
            </Section>
            <Section title="Inputs">
              <InputTable compared={comparison} names={NAMES} />
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
                <Empty>Both used the same document.</Empty>
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

const DURATIONS: readonly Column<Comparison['durations'][number]>[] = [
  ['Step', ({ step }) => step, 'name'],
  [NAMES[0], ({ a }) => orDash(a, formatDuration), 'right figure'],
  [NAMES[1], ({ b }) => orDash(b, formatDuration), 'right figure'],
]
