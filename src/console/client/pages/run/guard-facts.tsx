import { formatNumber } from '../../../../core/format/figures.ts'
import type { Step } from '../../api/types.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { Facts } from '../../ui/facts.tsx'

type Guard = NonNullable<Step['guard']>

/** What the guard of a step measured, and what was expected. */
export function GuardFacts({ guard }: { readonly guard: Guard }) {
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

export function GuardValue({ guard: { value, breach } }: { readonly guard: Guard }) {
  return <span class={breach ? 'bad figure' : 'figure'}>{formatNumber(value)}</span>
}

/** `2,548 to 3,822, median 3,185`; or the fixed limit that it is beyond. */
export function expectedText({ band, breach }: Guard): string {
  if (breach?.at !== undefined) return `${breach.limit === 'min' ? 'at least' : 'at most'} ${formatNumber(breach.at)}`
  if (!band) return 'still learning'
  return `${formatNumber(band.low)} to ${formatNumber(band.high)}, median ${formatNumber(band.median)}`
}

function LearnedFrom({ runs: [newest = '', ...others] }: { readonly runs: readonly string[] }) {
  return (
    <>
      <RunLink runId={newest} />
      {others.length > 0 && ` and ${others.length} before it`}
    </>
  )
}
