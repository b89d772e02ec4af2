import { useSignal } from '@preact/signals'
import type { AuditItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { place, setQuery, to } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { type Column, InZone, Rows } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const PAGE = 50

const COLUMNS: readonly Column<AuditItem>[] = [
  [<InZone text="When" />, ({ at }) => <Time at={at} />],
  [
    'Who',
    ({ by, role, address }) => (
      <>
        {by === undefined ? (
          'unknown'
        ) : (
          <a href={to('/system', { by })} title={`Only what ${by} did`}>
            <bdi>{by}</bdi>
          </a>
        )}
        <span class="under">{[role, address].filter(Boolean).join(', ')}</span>
      </>
    ),
    'text',
  ],
  [
    'Did what',
    ({ act, comment }) => (
      <>
        {act}
        {comment !== undefined && <span class="under">“{comment}”</span>}
      </>
    ),
    'text',
  ],
  [
    'To',
    ({ act, subject, detail }) => (
      <>
        {act.startsWith('run.') && subject.includes('-') ? <a href={runAddress(subject)}>{subject}</a> : subject}
        {detail !== undefined && <span class="under">{detail}</span>}
      </>
    ),
    'text',
  ],
  ['Outcome', ({ outcome }) => <span class={outcome === 'done' ? 'good' : 'bad'}>{outcome}</span>],
]

/** Who did what, newest first, one page at a time. */
export function AuditTable() {
  const before = useSignal<number | undefined>(undefined)
  const by = place.value.query.get('by') ?? ''
  const input = { limit: PAGE, by: by || undefined, before: before.value }
  const read = useRead('audit.list', input, ofKind('beat', 'runs'))
  return (
    <Section title="Audit log">
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault()
          before.value = undefined
          const named = new FormData(event.currentTarget).get('by')
          setQuery({ by: String(named ?? '').trim() })
        }}
      >
        <label class="field">
          Person or token
          <input key={by} name="by" type="search" defaultValue={by} placeholder="everybody" maxLength={1000} />
        </label>
        <button type="submit">Show</button>
      </form>
      <Loaded read={read} rows={6}>
        {({ entries, next }) => (
          <>
            <Rows
              label="Audit log"
              rows={entries}
              columns={COLUMNS}
              keyOf={({ id }) => id}
              empty={by === '' ? 'Nobody has done anything yet.' : `${by} has done nothing that is recorded here.`}
              dense
            />
            <p class="more">
              {before.value !== undefined && (
                <button type="button" onClick={() => (before.value = undefined)}>
                  Newest
                </button>
              )}{' '}
              {next !== undefined && (
                <button type="button" onClick={() => (before.value = next)}>
                  Older
                </button>
              )}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  )
}
