import { useSignal } from '@preact/signals'
import type { AuditEntry } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { place, setQuery, to } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { Time, TimeHead } from '../../ui/time.tsx'

const PAGE = 50

/** Who did what, newest first, a page at a time. */
export function AuditTable() {
  const before = useSignal<number | undefined>(undefined)
  const by = place.value.query.get('by') ?? ''
  const input = { limit: PAGE, ...(by !== '' && { by }), ...(before.value !== undefined && { before: before.value }) }
  const read = useRead('/audit', input, ({ kind }) => kind === 'beat' || kind === 'runs')
  const head = (
    <>
      <TimeHead>When</TimeHead>
      <Head>Who</Head>
      <Head>Did what</Head>
      <Head>To</Head>
      <Head>Outcome</Head>
    </>
  )
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
            {entries.length === 0 ? (
              <Empty>
                {by === '' ? 'Nobody has done anything yet.' : `${by} has done nothing that is recorded here.`}
              </Empty>
            ) : (
              <Table label="Audit log" head={head} dense>
                {entries.map((entry) => (
                  <Row key={entry.id} entry={entry} />
                ))}
              </Table>
            )}
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

function Row({
  entry: { at, by, role, address, act, subject, detail, comment, outcome },
}: {
  readonly entry: AuditEntry
}) {
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td class="text">
        {by === undefined ? (
          'unknown'
        ) : (
          <a href={to('/system', { by })} title={`Only what ${by} did`}>
            <bdi>{by}</bdi>
          </a>
        )}
        <span class="under">{[role, address].filter(Boolean).join(', ')}</span>
      </td>
      <td class="text">
        {act}
        {comment !== undefined && <span class="under">“{comment}”</span>}
      </td>
      <td class="text">
        {act.startsWith('run.') && subject.includes('-') ? <a href={runAddress(subject)}>{subject}</a> : subject}
        {detail !== undefined && <span class="under">{detail}</span>}
      </td>
      <td>{outcome === 'done' ? <span class="good">done</span> : <span class="bad">{outcome}</span>}</td>
    </tr>
  )
}
