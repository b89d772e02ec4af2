import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  bigInt,
  constantFrom,
  dictionary,
  double,
  letrec,
  oneof,
  string,
} from 'fast-check'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { createSealing } from '../../../src/core/create-sealing.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { NewRun } from '../../../src/state/journal.ts'
import { connect } from '../../../src/state/postgres/connect.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { anyCodePoint } from '../../support/any-code-point.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { seedRuns } from '../../support/seed-runs.ts'
import { sql } from '../../support/sql.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const { json } = letrec<{ json: Json }>((tie) => ({
  json: oneof(
    { maxDepth: 3 },
    constantFrom(
      null,
      true,
      false,
      0,
      -0,
      1,
      1.5,
      1e300,
      5e-324,
      9007199254740991,
      9007199254740993n,
      -(2n ** 63n),
      '',
    ),
    double({ noNaN: true, noDefaultInfinity: true }),
    bigInt(-(2n ** 63n), 2n ** 64n),
    string({ unit: anyCodePoint }),
    constantFrom('\0', '\\u0000', '\ud800', 'a\u2028b', '"\\', 'Straße 😀', '${x}', "'; --"),
    array(tie('json'), { maxLength: 4 }),
    dictionary(string({ unit: 'grapheme' }), tie('json'), { maxKeys: 4 }) as Arbitrary<JsonObject>,
  ),
}))

describeWithPostgres('runs in PostgreSQL', () => {
  async function opened(redact = (text: string) => text) {
    const url = await newDatabase()
    const state = await openPostgresState({ url, redact, ...around })
    return { ...state, url, writer: seedRuns(state) }
  }

  test('whatever a run records comes back from both stores alike, to the order of the keys', async () => {
    const { runs, writer, close } = await opened()
    const embedded = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around })
    let count = 0
    await assert(
      asyncProperty(
        json,
        dictionary(string(), json, { maxKeys: 3 }) as Arbitrary<JsonObject>,
        async (value, inputs) => {
          const runId = `run-${count++}`
          const effect = { type: 'effect.done', step: 's', attempt: 1, name: 'n', value } as const
          for (const each of [writer, embedded.journal]) {
            await each.submit(newRun(runId, inputs))
            await each.append(runId, [{ seq: 1, at: 2, record: effect }])
          }
          const [one, other] = [await runs.records(runId), await embedded.runs.records(runId)]
          expect(one).toEqual(other)
          expect(shape(one)).toBe(shape(other))
          expect(await runs.submission(runId)).toEqual(await embedded.runs.submission(runId))
        },
      ),
      { numRuns: 150 },
    )
    embedded.journal.close()
    await close()
  })

  // A mark has 32 bits.
  test.each([1, 2 ** 31, 2 ** 32, 2 ** 40])(
    'a change is not missed when an earlier one is committed after it, at number %i',
    async (number) => {
      const { runs, writer, close, url } = await opened()
      await sql(url, `SELECT setval('audience.changes', ${number})`)
      for (const runId of ['late', 'soon']) await writer.submit(newRun(runId))
      const begin = await runs.lastChange()
      const late = await connect(url)
      await late.query('BEGIN')
      await setStatus(late, 'late')
      const soon = await connect(url)
      await setStatus(soon, 'soon')
      expect(await runs.changedSince(begin, 9)).toEqual({ rows: [], sequence: begin })
      expect(await runs.lastChange()).toBe(begin)
      await late.query('COMMIT')
      const { rows, sequence } = await runs.changedSince(begin, 9)
      expect(rows.map(({ runId }) => runId)).toEqual(['late', 'soon'])
      expect(await runs.lastChange()).toBe(sequence)
      // A mark of a transaction that started after the newest number was read.
      await soon.query(
        'SELECT pg_advisory_lock_shared(1096107081, (last_value << 32 >> 32)::integer + 1) FROM audience.changes',
      )
      expect(await runs.lastChange()).toBe(sequence)
      for (const client of [late, soon]) await client.end()
      await close()
    },
  )

  test('a reader that follows many writers sees every change, though each run changes once only', async () => {
    const { runs, writer, close, url } = await opened()
    const ids = Array.from({ length: 120 }, (_, n) => `run-${n}`)
    await Promise.all(ids.map((runId) => writer.submit(newRun(runId))))
    const seen: string[] = []
    const begin = await runs.lastChange()
    const newest: number[] = []
    let sequence = begin
    const follow = async () => {
      newest.push(await runs.lastChange())
      const changes = await runs.changedSince(sequence, 5)
      seen.push(...changes.rows.map(({ runId }) => runId))
      sequence = changes.sequence
      return changes.rows.length > 0
    }
    let writing = true
    const reading = (async () => {
      while (writing) await follow()
      while (await follow()) {
        // What was changed at the end.
      }
    })()
    const write = async (first: number) => {
      const client = await connect(url)
      for (const runId of ids.filter((_, index) => index % 4 === first)) {
        await client.query('BEGIN')
        await setStatus(client, runId)
        // Between the numbering of this change and its commit, other clients number and commit their changes.
        await client.query('SELECT pg_sleep(random() * 0.01)')
        await client.query('COMMIT')
      }
      await client.end()
    }
    await Promise.all([0, 1, 2, 3].map(write))
    writing = false
    await reading
    expect(seen.toSorted()).toEqual(ids.toSorted())
    expect(Math.min(...newest)).toBeGreaterThanOrEqual(begin)
    await close()
  })

  test('no secret of a document is stored; neither is a character that the database does not know', async () => {
    const { runs, writer, audit, close } = await opened((text) => text.replaceAll('s3cret-token', '***'))
    await writer.submit({
      ...newRun('a', { key: 's3cret-token \0' }),
      sealing: createSealing({ TOKEN: 's3cret-token' }),
    })
    const error = { code: 'x', kind: 'failed', message: 'the service said s3cret-token \0' } as const
    await writer.append('a', [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'failed', error } }])
    await audit.add({ by: 's3cret-token', comment: '\0', act: 'run.start', subject: 'a', outcome: 'done' })
    expect(await runs.submission('a')).toMatchObject({ inputs: { key: '*** \0' } })
    expect(await runs.find('a')).toMatchObject({ error: { message: 'the service said *** \uFFFD' } })
    expect((await audit.list({ limit: 1 }))[0]).toMatchObject({ by: '***', comment: '\uFFFD' })
    await close()
  })

  test('only one of two decisions about a step that are sent at once is taken', async () => {
    const { runs, writer, close } = await opened()
    await writer.submit(newRun('a'))
    const decide = () => runs.send('a', { kind: 'decide', ref: { step: 's' }, decision: 'approved' })
    const sent = await Promise.allSettled([decide(), decide(), decide()])
    expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await runs.decisionsSent('a')).toEqual([{ ref: { step: 's' }, decision: 'approved' }])
    await close()
  })

  test('a run that is submitted while the last other one of its document is removed keeps the document', async () => {
    const { runs, writer, close } = await opened()
    for (let round = 0; round < 20; round++) {
      const [old, fresh] = [`old-${round}`, `new-${round}`]
      await writer.submit(newRun(old))
      await writer.append(old, [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'failed' } }])
      await Promise.all([runs.remove([old], 1000), writer.submit(newRun(fresh))])
      expect((await runs.records(fresh))[0]?.record).toMatchObject({ text: 'version: 1' })
      await writer.append(fresh, [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'failed' } }])
      await runs.remove([fresh], 1000)
    }
    await close()
  })
})

/** Distinguishes bigint from number, -0 from 0, and different orders of keys. */
function shape(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? `${each}n` : Object.is(each, -0) ? '-0' : each,
  )
}

async function setStatus(client: Client, runId: string): Promise<void> {
  await client.query(`UPDATE audience.runs SET status = 'waiting' WHERE run_id = $1`, [runId])
}

function newRun(runId: string, inputs: JsonObject = {}): NewRun {
  const submitted = { type: 'run.submitted', pipeline: 'p', file: 'f', folder: '/', text: 'version: 1' } as const
  return { runId, at: 1, record: { ...submitted, digest: '', inputs, trigger: { kind: 'manual' } } }
}
