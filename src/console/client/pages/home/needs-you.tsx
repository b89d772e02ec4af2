import type { Overview } from '../../api/types.ts'
import { PipelineLink, runAddress } from '../../runs/run-link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Since } from '../../ui/time.tsx'

type Wanted = Overview['needsYou'][number]

const REASONS: Readonly<Record<string, string>> = {
  approval: 'Waiting for an approval',
  decision: 'In doubt: did it happen?',
  stuck: 'Can neither be recorded nor resumed',
  orphaned: 'No process is working on it',
}

/** Each item that is waiting for a person, with its name, its waiting time, and a button that leads to it. */
export function NeedsYou({ items }: { items: readonly Wanted[] }) {
  return (
    <section class="section" aria-live="polite" aria-label="Needs you">
      {items.length === 0 ? (
        <Empty>Nothing is waiting for a person.</Empty>
      ) : (
        <ul class="items urgent">
          {items.map((item) => (
            <Item key={`${item.runId} ${item.ref}`} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Item({ item }: { item: Wanted }) {
  const { runId, pipeline, ref, reason, since, message } = item
  return (
    <li>
      <div class="what">
        <span class="status wait">
          <Icon name="person" />
          {REASONS[reason] ?? reason}
        </span>
        <div>{message}</div>
        <span class="under">
          <PipelineLink name={pipeline} />
          {ref !== undefined && ` · step ${ref}`} · for <Since at={since} />
        </span>
      </div>
      <a class="button primary" href={runAddress(runId, { ref })} data-row>
        {reason === 'approval' || reason === 'decision' ? 'Decide' : 'Look'}
        <span class="hidden">
          {' '}
          about {pipeline} {ref}
        </span>
      </a>
    </li>
  )
}
