import { BlockedSteps } from '../../runs/blocked-steps.tsx'
import { RunTable } from '../../runs/run-table.tsx'
import { overview } from '../../shell/overview.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Counts } from './counts.tsx'
import { NeedsYou } from './needs-you.tsx'
import { NextSlots } from './next-slots.tsx'
import { RunsByDay } from './runs-by-day.tsx'

/** What needs a person, then how it goes. */
export function HomePage() {
  return (
    <Page title="Needs you">
      <Loaded read={overview.value} rows={8}>
        {(now) => (
          <>
            {now.notReady.map(({ check, reason }) => (
              <Notice key={check} tone="bad" icon="warning">
                <strong>{check}</strong>
                <span>{reason}</span>
              </Notice>
            ))}
            {now.problems.map(({ file, messages }) => (
              <Notice key={file} tone="bad" icon="warning">
                <strong>{file}</strong>
                {messages.map((message) => (
                  <span key={message}>{message}</span>
                ))}
              </Notice>
            ))}
            <NeedsYou items={now.needsYou} />
            <Counts counts={now.counts} />
            <Section title="Under way" count={now.underWay.length}>
              {now.underWay.length === 0 ? (
                <Empty>Nothing runs.</Empty>
              ) : (
                <RunTable runs={now.underWay} label="Runs under way" />
              )}
            </Section>
            {now.blocked.length > 0 && (
              <Section title="Waits for another step" count={now.blocked.length}>
                <BlockedSteps steps={now.blocked} withRun />
              </Section>
            )}
            <Section title="Failed in the last 24 hours" count={now.counts.failed}>
              {now.failures.length === 0 ? (
                <Empty>Nothing failed.</Empty>
              ) : (
                <RunTable runs={now.failures} label="Failed runs" />
              )}
            </Section>
            <NextSlots next={now.next} paused={now.paused} due={now.due} />
          </>
        )}
      </Loaded>
      <RunsByDay />
    </Page>
  )
}
