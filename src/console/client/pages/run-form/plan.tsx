import type { ApiAnswerOf } from '../../../api/operations.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { type Column, Rows } from '../../ui/table.tsx'
import { actionText, type PlannedStep, stepPlan } from './plan-text.ts'

const COLUMNS: readonly Column<PlannedStep>[] = [
  [
    'Step',
    ({ id, uses }) => (
      <>
        {id} <span class="under">{uses}</span>
      </>
    ),
    'name',
  ],
  ['Would', ({ action }) => actionText(action)],
  [
    'Reason and details',
    ({ why, changes, requests }) => (
      <>
        {why}
        {changes.map((change) => (
          <span class="under" key={change} dir="auto">
            {change}
          </span>
        ))}
        {requests.map((request) => (
          <code class="under" key={request}>
            {request}
          </code>
        ))}
      </>
    ),
    'text',
  ],
]

/** Shows what a run would do now, step by step. */
export function Plan({ plan: { steps, changes, fails, lastRun } }: { plan: ApiAnswerOf<'plan.make'> }) {
  return (
    <Section title="Plan">
      {fails ? (
        <Notice tone="bad" icon="cross">
          A step would fail.
        </Notice>
      ) : (
        <Notice tone={changes ? 'busy' : 'quiet'} icon={changes ? 'running' : 'check'}>
          {changes ? 'This run would or might change something.' : 'This run would change nothing.'}
        </Notice>
      )}
      <Rows label="What each step would do" rows={steps.map(stepPlan)} columns={COLUMNS} keyOf={({ id }) => id} dense />
      {lastRun !== undefined && (
        <p class="muted">
          Compared with the last good run, <RunLink runId={lastRun} />.
        </p>
      )}
    </Section>
  )
}
