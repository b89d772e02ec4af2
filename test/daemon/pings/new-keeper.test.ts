import { describe, expect, onTestFinished, test } from 'vitest'
import { startPings } from '../../../src/daemon/pings/start-pings.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { EmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import type { Place, RunWriter } from '../../contract/run-writer.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { postgresPlace } from '../../support/postgres-place.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

type Store = Pick<EmbeddedState, 'runs'> & { readonly journal: Pick<RunWriter, 'submit' | 'append' | 'close'> }

function newKeeperSuite(place: () => Place<Store, [service: string]>): void {
  test('a new keeper pings what ended a moment ago, the newest of each pipeline, and nothing older', async () => {
    const { open, remove } = place()
    const { journal, runs } = await open('http://127.0.0.1')
    onTestFinished(async () => {
      await journal.close()
      await remove()
    })
    const now = Date.now()
    const ended = async (runId: string, pipeline: string, at: number, status: 'succeeded' | 'failed' | 'cancelled') => {
      const submission = { file: 'n.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
      await journal.submit({ runId, at: at - 1, record: { type: 'run.submitted', pipeline, ...submission } })
      await journal.append(runId, [{ seq: 1, at, record: { type: 'run.finished', status } }])
    }
    await ended('a', 'yesterday', now - 86_400_000, 'failed')
    await ended('b', 'nightly', now - 2000, 'succeeded')
    await ended('c', 'nightly', now - 1000, 'failed')
    await ended('d', 'drops', now - 1000, 'succeeded')
    await ended('e', 'drops', now, 'cancelled')
    const sent: string[] = []
    const pings = startPings(
      {
        pipelines: true,
        async send({ check, outcome, runId }) {
          sent.push(`${check} ${outcome} ${runId}`)
          return 'done'
        },
      },
      {
        runs,
        pipelines: new Set(['yesterday', 'nightly', 'drops']),
        isWell: async () => true,
        clock: systemClock,
        log,
      },
    )
    await expect.poll(() => sent.length).toBe(2)
    await pings.stop()
    expect(sent.toSorted()).toEqual(['drops success d', 'nightly fail c'])
  })
}

describe('SQLite', () => newKeeperSuite(sqlitePlace))
describeWithPostgres('PostgreSQL', () => newKeeperSuite(postgresPlace))
