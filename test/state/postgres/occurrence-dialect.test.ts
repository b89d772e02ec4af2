import { expect, test } from 'vitest'
import { describeWithPostgres } from '../../support/postgres.ts'
import { postgresPlace } from '../../support/postgres-place.ts'

describeWithPostgres('occurrences in PostgreSQL', () => {
  test('count as caught up if the slot was before that time, and its run came since', async () => {
    const place = postgresPlace()
    const { journal, occurrences, close } = await place.open()
    try {
      const submission = { pipeline: 'a', file: 'a.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
      const submit = (runId: string, submittedAt: number, at: number) =>
        journal.submit({
          ...{ runId, at: submittedAt, record: { type: 'run.submitted', ...submission } },
          occurrence: { key: runId, at, trigger: 'nightly' },
        })
      await submit('late', 20, 5)
      await submit('late, at the last moment', 10, 9)
      await submit('before', 9, 5)
      await submit('new', 10, 10)
      const missed = [{ key: 'missed', at: 5, state: 'missed' }] as const
      await occurrences.note({ pipeline: 'a', trigger: 'nightly' }, { occurrences: missed })
      expect((await occurrences.summary(10)).map(({ caughtUp }) => caughtUp)).toEqual([2])
    } finally {
      await close()
      await place.remove()
    }
  })
})
