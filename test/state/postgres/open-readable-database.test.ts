import { expect, test } from 'vitest'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { withReadableState } from '../../../src/state/with-readable-state.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

describeWithPostgres('a database that is opened for reading', () => {
  test('is read by a role that may only read, and refuses writes to one that may write', async () => {
    const url = await newDatabase()
    const reader = new URL(url)
    reader.username = `reader_${reader.pathname.slice(1)}`
    await sql(
      url,
      `CREATE ROLE ${reader.username} LOGIN`,
      `GRANT USAGE ON SCHEMA audience TO ${reader.username}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA audience TO ${reader.username}`,
      `GRANT SELECT ON ALL SEQUENCES IN SCHEMA audience TO ${reader.username}`,
    )
    const state = await openPostgresState({ url, redact: (text) => text, ...around })
    await state.occurrences.pause({ pipeline: 'p', trigger: 't' }, 5)
    await state.close()
    const seen = await withReadableState({ state: '', database: { url: reader.href } }, around, async (read) => [
      await read.occurrences.memories(),
      await read.occurrences.summary(0),
      await read.runs.page({ limit: 9, ownerless: true, text: 'x' }),
      await read.runs.changedSince(0, 9),
      await read.outbox.counts(),
      await read.audit.list({ limit: 9 }),
    ])
    expect(seen).toEqual([
      [{ pipeline: 'p', trigger: 't', pausedAt: 5 }],
      [],
      { rows: [] },
      { rows: [], sequence: 0 },
      { pending: 0, failed: 0 },
      [],
    ])
    const writing = withReadableState({ state: '', database: { url } }, around, ({ occurrences }) =>
      // The type has no method that writes; the database must refuse writes, too.
      (occurrences as typeof state.occurrences).pause({ pipeline: 'p', trigger: 'other' }, 5),
    )
    await expect(writing).rejects.toMatchObject({ code: 'state-failed', message: expect.stringContaining('read-only') })
    await sql(url, `DROP OWNED BY ${reader.username}`, `DROP ROLE ${reader.username}`)
  })
})
