import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunRecord, StoredRecord } from '../../src/core/run.ts'
import type { Journal, NewRun } from '../../src/state/journal.ts'
import type { RunHistory } from '../../src/state/run-history.ts'

/** The part of a state that the engine uses. */
export interface StateUnderTest {
  readonly journal: Journal
  readonly runs: RunHistory
}

/**
 * What every journal promises. Within a test, `open` always opens the same store. `endLeases` ends the leases of its
 * owners, as after a long pause.
 */
export function journalSuite(
  name: string,
  store: () => { open(): StateUnderTest; endLeases(): void; remove(): void },
): void {
  describe(`journal: ${name}`, () => {
    let place: ReturnType<typeof store>
    let journal: Journal

    beforeEach(() => {
      place = store()
      ;({ journal } = place.open())
    })
    afterEach(() => {
      journal.close()
      place.remove()
    })
    const reopen = () => {
      journal.close()
      ;({ journal } = place.open())
    }

    test('a submitted run is there after the process ended', async () => {
      await journal.submit(newRun('a'))
      reopen()
      expect(journal.find('a')).toMatchObject({ runId: 'a', pipeline: 'demo', status: 'running', submittedAt: 1 })
      expect(journal.records('a')).toEqual([{ seq: 0, at: 1, record: newRun('a').record }])
    })

    test('the same dedupe key is the same run', async () => {
      const [first, second] = await Promise.all([
        journal.submit({ ...newRun('a'), dedupeKey: 'slot-1' }),
        journal.submit({ ...newRun('b'), dedupeKey: 'slot-1' }),
      ])
      expect([first, second]).toEqual([
        { runId: 'a', existing: false, state: 'running' },
        { runId: 'a', existing: true, state: 'existing' },
      ])
      expect(journal.find('b')).toBeUndefined()
    })

    test('records come back in order, exactly, with integers beyond 2^53', async () => {
      await journal.submit(newRun('a'))
      const records = [
        effect(1, { matchId: '9007199254740993', count: 9007199254740993n, nested: [null, true, 'ü'] }),
        effect(2, 'x'),
        effect(3, 0.5),
      ]
      await Promise.all(records.map((record) => journal.append('a', [record])))
      reopen()
      expect(journal.records('a').slice(1)).toEqual(records)
      expect(journal.records('a', 2)).toEqual(records.slice(2))
    })

    test('the records of many runs that are read together are those of each', async () => {
      await Promise.all(['a', 'b', 'c'].map((runId) => journal.submit(newRun(runId))))
      await Promise.all([
        journal.append('b', [effect(1, 'x'), effect(2, 9007199254740993n)]),
        journal.append('c', [effect(1, 'y')]),
      ])
      const recordsOf = journal.recordsTogether(['c', 'a', 'b', 'unknown'])
      for (const runId of ['a', 'b', 'c', 'unknown']) expect(recordsOf(runId), runId).toEqual(journal.records(runId))
      expect(recordsOf('b')).toHaveLength(3)
    })

    test('an append is all or nothing', async () => {
      await journal.submit(newRun('a'))
      await journal.append('a', [effect(1, 'mine')])
      await expect(journal.append('a', [effect(2, 'new'), effect(1, 'again')])).rejects.toThrow()
      expect(journal.records('a').map(({ seq }) => seq)).toEqual([0, 1])
    })

    test('what one owner works on no other may claim or write; what it gives back another may', async () => {
      await Promise.all([journal.submit(newRun('a')), journal.submit(newRun('b'))])
      const { journal: other } = place.open()
      try {
        expect(await other.claim('a')).toBe(false)
        const [theirs, mine] = await Promise.allSettled([
          other.append('a', [effect(1, 'theirs')]),
          journal.append('a', [effect(1, 'mine')]),
        ])
        expect(theirs).toMatchObject({ status: 'rejected', reason: { code: 'run-taken-over' } })
        expect(mine.status).toBe('fulfilled')

        await journal.release(['a'])
        expect(other.orphans()).toEqual(['a'])
        expect(await other.claim('a')).toBe(true)
        await other.append('a', [effect(2, 'theirs')])
        const late = await Promise.allSettled([
          journal.append('a', [effect(2, 'late')]),
          journal.append('b', [effect(1, 'fine')]),
        ])
        expect(late).toMatchObject([
          { status: 'rejected', reason: { code: 'run-taken-over' } },
          { status: 'fulfilled' },
        ])
        expect(journal.records('a').slice(1)).toEqual([effect(1, 'mine'), effect(2, 'theirs')])
      } finally {
        other.close()
      }
    })

    test('of two that claim at the same moment one gets the run', async () => {
      await journal.submit(newRun('a'))
      await journal.release(['a'])
      const { journal: other } = place.open()
      const claims = await Promise.all([journal.claim('a'), other.claim('a')])
      other.close()
      expect(claims.toSorted()).toEqual([false, true])
    })

    test('an owner that was paused keeps what nobody has claimed, and learns what others have', async () => {
      await Promise.all([journal.submit(newRun('a')), journal.submit(newRun('b'))])
      const { journal: other } = place.open()
      try {
        place.endLeases()
        // Reading removes nothing.
        expect([other.orphans(), other.find('a')?.owner]).toEqual([['a', 'b'], undefined])
        await journal.append('a', [effect(1, 'after the pause')])
        expect([journal.owns('a'), journal.lost(), journal.held()]).toEqual([true, [], ['a', 'b']])

        place.endLeases()
        expect(await other.claim('a')).toBe(true)
        expect([journal.owns('a'), journal.owns('b'), other.owns('a')]).toEqual([false, true, true])
        const late = await Promise.allSettled([
          journal.append('a', [effect(2, 'late')]),
          journal.append('b', [effect(1, 'mine')]),
        ])
        expect(late).toMatchObject([
          { status: 'rejected', reason: { code: 'run-taken-over' } },
          { status: 'fulfilled' },
        ])
        expect([journal.lost(), journal.lost(), journal.held()]).toEqual([['a'], [], ['b']])

        await other.release(['a'])
        expect(await journal.claim('a')).toBe(true)
        await journal.append('a', [effect(2, 'mine again')])
        expect([journal.owns('a'), journal.lost()]).toEqual([true, []])
      } finally {
        other.close()
      }
    })

    test('a queued run of an owner that was paused is admitted by whoever is there, once', async () => {
      await journal.submit({ ...newRun('a'), hold: true })
      const { journal: other } = place.open()
      try {
        place.endLeases()
        expect(await other.admit({ at: 3, room: () => 9, orphans: true })).toEqual(['a'])
        expect(await journal.admit({ at: 4, room: () => 9, orphans: true })).toEqual([])
        expect(journal.lost()).toEqual(['a'])
      } finally {
        other.close()
      }
    })

    test('the runs of an owner that is gone are orphans', async () => {
      await Promise.all([journal.submit(newRun('a')), journal.submit(newRun('b'))])
      await journal.append('b', [ended(1, 'succeeded')])
      expect(journal.orphans()).toEqual([])
      reopen()
      expect(journal.orphans()).toEqual(['a'])
      expect(await journal.claim('b')).toBe(false)
    })

    test('a message reaches whoever owns the run, until it is acknowledged', async () => {
      await journal.submit(newRun('a'))
      const { journal: other } = place.open()
      await other.send('a', { kind: 'cancel' })
      expect(other.messages()).toEqual([])
      other.close()
      reopen()
      await journal.claim('a')
      const [message] = journal.messages()
      expect(message).toMatchObject({ runId: 'a', message: { kind: 'cancel' } })
      await journal.acknowledge(message!.id)
      expect(journal.messages()).toEqual([])
    })

    test('an unknown run has no records', () => {
      expect(journal.records('nobody')).toEqual([])
      expect(journal.find('nobody')).toBeUndefined()
    })
  })
}

function newRun(runId: string): NewRun {
  const record = {
    type: 'run.submitted',
    pipeline: 'demo',
    file: 'demo.yaml',
    folder: '/',
    text: 'version: 1',
    digest: 'd',
    inputs: {},
    trigger: {},
  } as const
  return { runId, at: 1, record }
}

function effect(seq: number, value: Extract<RunRecord, { type: 'effect.done' }>['value']): StoredRecord {
  return { seq, at: 2, record: { type: 'effect.done', step: 'upload', attempt: 1, name: 'answer', value } }
}

function ended(seq: number, status: 'succeeded' | 'failed'): StoredRecord {
  return { seq, at: 9, record: { type: 'run.finished', status } }
}
