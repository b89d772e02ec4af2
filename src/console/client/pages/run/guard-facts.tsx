import { formatNumber } from '../../../../core/format/figures.ts'
import type { StepItem } from '../../api/types.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/page.tsx'
import { type Column, Rows } from '../../ui/table.tsx'

type Guard = NonNullable<StepItem['guard']>

/** The value that the guard of a step measured, and the expected range. */
export function GuardFacts({ guard }: { guard: Guard }) {
  const { verdict, learnedFrom = [] } = guard
  return (
    <div>
      <h3>Guard</h3>
      <Facts
        items={[
          ['Measured', <GuardValue key="value" guard={guard} />],
          ['Expected', expectedText(guard)],
          ['Verdict', verdict],
          ['Learned from', learnedFrom[0] !== undefined && <LearnedFrom runs={learnedFrom} />],
        ]}
      />
    </div>
  )
}

function GuardValue({ guard: { value, breach } }: { guard: Guard }) {
  return <span class={breach ? 'bad figure' : 'figure'}>{formatNumber(value)}</span>
}

/** The expected range, such as `2,548 to 3,822, median 3,185`, or the fixed limit that the value exceeds. */
function expectedText({ band, breach }: Guard): string {
  if (breach?.at !== undefined) return `${breach.limit === 'min' ? 'at least' : 'at most'} ${formatNumber(breach.at)}`
  if (!band) return 'still learning'
  return `${formatNumber(band.low)} to ${formatNumber(band.high)}, median ${formatNumber(band.median)}`
}

function LearnedFrom({ runs: [newest = '', ...others] }: { runs: readonly string[] }) {
  return (
    <>
      <RunLink runId={newest} />
      {others.length > 0 && ` and ${others.length} before it`}
    </>
  )
}

const COLUMNS: readonly Column<{ readonly ref: string; readonly guard: Guard }>[] = [
  ['Step', ({ ref }) => ref, 'name'],
  ['Measured', ({ guard }) => <GuardValue guard={guard} />, 'right'],
  ['Expected', ({ guard }) => expectedText(guard), 'text'],
  ['Verdict', ({ guard }) => guard.verdict],
]

/** The values that the guards of a run measured, next to the expected ranges. */
export function GuardTable({ steps }: { steps: readonly StepItem[] }) {
  const guarded = steps.flatMap(({ ref, guard }) => (guard ? [{ ref, guard }] : []))
  if (guarded.length === 0) return null
  return (
    <Section title="Guards">
      <Rows label="Guards" rows={guarded} columns={COLUMNS} keyOf={({ ref }) => ref} dense />
    </Section>
  )
}
