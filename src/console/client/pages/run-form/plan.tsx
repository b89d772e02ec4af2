import type { PostAnswer } from '../../api/types.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { actionText, stepPlan } from './plan-text.ts'

/** What a run would do now, step by step. */
export function Plan({ plan: { steps, changes, fails, lastRun } }: { readonly plan: PostAnswer<'/plan'> }) {
  const head = (
    <>
      <Head>Step</Head>
      <Head>Would</Head>
      <Head>Why, and what is known</Head>
    </>
  )
  return (
    <Section title="Plan">
      {fails ? (
        <Notice tone="bad" icon="cross">
          A step would fail.
        </Notice>
      ) : (
        <Notice tone={changes ? 'busy' : 'quiet'} icon={changes ? 'running' : 'check'}>
          {changes ? 'This run would change something, or only the run can say.' : 'This run would change nothing.'}
        </Notice>
      )}
      <Table label="What each step would do" head={head} dense>
        {steps.map(stepPlan).map(({ id, uses, action, why, requests }) => (
          <tr key={id}>
            <td class="name">
              {id} <span class="under">{uses}</span>
            </td>
            <td>{actionText(action)}</td>
            <td class="text">
              {why}
              {requests.map((request) => (
                <code class="under" key={request}>
                  {request}
                </code>
              ))}
            </td>
          </tr>
        ))}
      </Table>
      {lastRun !== undefined && (
        <p class="muted">
          Compared with the last good run, <RunLink runId={lastRun} />.
        </p>
      )}
    </Section>
  )
}
