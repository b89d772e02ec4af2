import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Notification } from '../../src/core/notification.ts'
import type { OccurrenceState } from '../../src/core/occurrence.ts'
import type { FinalStatus, RunTrigger, StoredRecord } from '../../src/core/run.ts'
import type { OutboxChange } from '../../src/state/outbox.ts'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from './run-writer.ts'

type Store = Pick<State, 'outbox' | 'runs' | 'occurrences'> & { readonly journal: RunWriter }

const REF = { pipeline: 'nightly', trigger: 'night' }

/** What every outbox promises. */
export function outboxSuite(name: string, place: () => Place<Store>): void {
  describe(`outbox: ${name}`, () => {
    let where: Place<Store>
    let store: Store

    beforeEach(async () => {
      where = place()
      store = await where.open()
    })
    afterEach(async () => {
      await store.journal.close()
      await where.remove()
    })
    const reopen = async () => {
      await store.journal.close()
      store = await where.open()
    }

    const submit = (runId: string, key?: string, trigger: RunTrigger = {}) =>
      store.journal.submit({
        runId,
        at: 1,
        record: {
          ...REF,
          type: 'run.submitted',
          file: 'f',
          folder: '/',
          text: '',
          digest: '',
          inputs: {},
          trigger,
        },
        ...(key !== undefined && { occurrence: { trigger: REF.trigger, key, at: 5 } }),
      })
    const append = (runId: string, seq: number, record: StoredRecord['record']) =>
      store.journal.append(runId, [{ seq, at: 10 + seq, record }])
    const end = (runId: string, seq: number, status: FinalStatus) =>
      append(runId, seq, { type: 'run.finished', status })
    const waits = (runId: string, seq: number, step: string) =>
      append(runId, seq, {
        type: 'step.waiting',
        step,
        reason: 'approval',
        error: { code: 'approval-needed', kind: 'failed', message: 'Send it?' },
      })
    const note = (key: string, state: OccurrenceState, reason?: string) =>
      store.occurrences.note(REF, { occurrences: [{ key, at: 5, state, ...(reason !== undefined && { reason }) }] })
    const found = async () => (await store.outbox.events(100)).map(({ id: _id, ...rest }) => rest)
    const commitBatch = (change: Partial<OutboxChange>) =>
      store.outbox.commitBatch({ events: [], notifications: [], checkpoints: new Map(), at: 0, ...change })

    test('what happened before it began is not told', async () => {
      await submit('a')
      await end('a', 1, 'failed')
      await note('k1', 'missed')
      await store.outbox.begin()
      expect(await found()).toEqual([])
    })

    test('a slot that was due is told when it gets no run, from the beginning on, and not when it gets one', async () => {
      for (const key of ['before', 'missed', 'ran']) await note(key, 'due')
      await note('before', 'missed')
      await store.outbox.begin()
      await note('missed', 'missed')
      await submit('a', 'ran')
      expect(await found()).toMatchObject([{ kind: 'occurrence', occurrence: { key: 'missed', state: 'missed' } }])
    })

    test('ends of runs come in the order of their commits, with what they were made of', async () => {
      await store.outbox.begin()
      await Promise.all([submit('b', 'slot-1'), submit('a')])
      await end('b', 1, 'failed')
      await end('a', 1, 'succeeded')
      await reopen()
      const occurrence = { ...REF, key: 'slot-1', at: 5, state: 'ran', runId: 'b' }
      expect(await found()).toEqual([
        { kind: 'ended', runId: 'b', pipeline: 'nightly', status: 'failed', finishedAt: 11, occurrence },
        { kind: 'ended', runId: 'a', pipeline: 'nightly', status: 'succeeded', finishedAt: 11 },
      ])
      expect(await store.outbox.startedBy('b')).toEqual(occurrence)
      expect(await store.outbox.startedBy('a')).toBeUndefined()
    })

    test('every step that begins to wait is an event', async () => {
      await store.outbox.begin()
      await submit('a', 'slot-1')
      await waits('a', 1, 'ask')
      await waits('a', 2, 'askAgain')
      expect((await found()).map(({ kind }) => kind)).toEqual(['waiting', 'waiting'])
      expect((await found())[0]).toMatchObject({ runId: 'a', pipeline: 'nightly', occurrence: { key: 'slot-1' } })
    })

    test('a run that is left is one from then on, and what it and the runs below it ask is an event once more', async () => {
      const below = { kind: 'run', parent: 'a', label: 'a' }
      await store.outbox.begin()
      await submit('a')
      await submit('b', undefined, below)
      await submit('other')
      for (const runId of ['a', 'b', 'other']) await waits(runId, 1, 'ask')
      await append('b', 2, { type: 'job.status', step: 'match', jobId: 'j', status: 'PENDING_APPROVAL', waitedMs: 0 })
      const [wait] = await store.outbox.partnerWaits(1000)
      await commitBatch({
        events: (await store.outbox.events(10)).map(({ id }) => id),
        partnerWaits: wait ? [wait] : [],
      })
      expect(await store.outbox.partnerWaits(1000)).toEqual([])
      await store.runs.leave('a', 7)
      await store.runs.leave('a', 9)
      await reopen()
      expect(await store.runs.find('a')).toMatchObject({ leftAt: 7 })
      expect((await store.runs.find('b'))?.leftAt).toBeUndefined()
      expect(new Set((await found()).map((event) => event.kind === 'waiting' && event.runId))).toEqual(
        new Set(['a', 'b']),
      )
      expect(await store.outbox.partnerWaits(1000)).toMatchObject([{ runId: 'b', step: 'match' }])
    })

    test('a run that has ended cannot be left, and without an outbox leaving is no event', async () => {
      await submit('a')
      await waits('a', 1, 'ask')
      await store.runs.leave('a', 7)
      await submit('b')
      await end('b', 1, 'failed')
      await store.runs.leave('b', 7)
      expect((await store.runs.find('b'))?.leftAt).toBeUndefined()
      await store.outbox.begin()
      expect(await found()).toEqual([])
    })

    test('occurrences that were missed or failed, as they come to be that, once', async () => {
      await store.outbox.begin()
      await note('k1', 'due')
      await note('k2', 'skipped', 'paused')
      await note('k3', 'missed', 'stopped')
      await note('k1', 'failed', 'no such input')
      await note('k1', 'missed')
      await note('k3', 'missed')
      expect(await found()).toEqual([
        { kind: 'occurrence', occurrence: { ...REF, key: 'k3', at: 5, state: 'missed', reason: 'stopped' } },
        { kind: 'occurrence', occurrence: { ...REF, key: 'k1', at: 5, state: 'failed', reason: 'no such input' } },
      ])
    })

    test('a slot that a run is in the way of is an event, any other that is skipped is none', async () => {
      await store.outbox.begin()
      await submit('a')
      const detail = { behind: 'a' }
      await store.occurrences.note(REF, { occurrences: [{ key: 'k1', at: 5, state: 'due' }] })
      for (const key of ['k1', 'k2'])
        await store.occurrences.note(REF, {
          occurrences: [{ key, at: 5, state: 'skipped', reason: 'overlap', detail }],
        })
      await note('k3', 'skipped', 'paused')
      const occurrence = { ...REF, at: 5, state: 'skipped', reason: 'overlap', detail }
      expect(await found()).toEqual([
        { kind: 'occurrence', occurrence: { ...occurrence, key: 'k1' } },
        { kind: 'occurrence', occurrence: { ...occurrence, key: 'k2' } },
      ])
    })

    test('a run that was removed is gone', async () => {
      await store.outbox.begin()
      await submit('a')
      await end('a', 1, 'failed')
      await store.runs.remove(['a'], 1000)
      expect(await found()).toEqual([{ kind: 'gone' }])
    })

    test('settling ends events, adds notifications and keeps checkpoints, all of it after a restart', async () => {
      await store.outbox.begin()
      await note('k1', 'missed')
      await note('k2', 'missed')
      const [first] = await store.outbox.events(1)
      await commitBatch({
        events: [first?.id ?? -1],
        notifications: [
          { channel: 'ops', notification: message('a') },
          { channel: 'mail', notification: message('a') },
        ],
        checkpoints: new Map([['late', 7]]),
        at: 100,
      })
      await reopen()
      expect(await found()).toMatchObject([{ occurrence: { key: 'k2' } }])
      expect(await store.outbox.checkpoint('late')).toBe(7)
      expect(await store.outbox.due('ops', 99, 10)).toEqual([])
      expect(await store.outbox.due('ops', 100, 10)).toEqual([
        { id: expect.any(Number), notification: message('a'), attempts: 0 },
      ])
      expect(await store.outbox.due('mail', 100, 10)).toHaveLength(1)
      await commitBatch({ checkpoints: new Map([['late', null]]) })
      expect(await store.outbox.checkpoint('late')).toBeUndefined()
    })

    test('a notification that a channel has or had is not added again', async () => {
      const add = () => commitBatch({ notifications: [{ channel: 'ops', notification: message('a') }] })
      await Promise.all([add(), add()])
      const due = async () => (await store.outbox.due('ops', 1000, 10)).map(({ id }) => id)
      expect(await due()).toHaveLength(1)
      await store.outbox.delivered(await due(), 50)
      await add()
      expect(await due()).toEqual([])
    })

    test('what failed is due again when it is to be, with its attempts; given up never', async () => {
      await commitBatch({ notifications: ['a', 'b'].map((key) => ({ channel: 'ops', notification: message(key) })) })
      const [a, b] = (await store.outbox.due('ops', 0, 10)).map(({ id }) => id)
      await store.outbox.failed([a ?? -1], { error: 'busy', nextAt: 60 })
      await store.outbox.failed([b ?? -1], { error: 'gone' })
      expect(await store.outbox.due('ops', 59, 10)).toEqual([])
      expect(await store.outbox.due('ops', 60, 10)).toEqual([{ id: a, notification: message('a'), attempts: 1 }])
      expect(await store.outbox.due('ops', 1e15, 10)).toHaveLength(1)
    })

    test('what waits for other channels moves in one piece, and its place takes it once', async () => {
      const wait = (channel: string, key: string) => ({ channel, notification: message(key) })
      await commitBatch({ notifications: [wait('ops', 'a'), wait('old', 'a'), wait('old', 'b'), wait('gone', 'b')] })
      const lost = await store.outbox.elsewhere(['ops', 'mail'], 10)
      expect(lost.map(({ notification }) => notification.key)).toEqual(['a', 'b', 'b'])
      expect(await store.outbox.elsewhere(['ops', 'mail'], 1)).toHaveLength(1)
      const notifications = lost.map(({ notification }) => ({ channel: 'ops', notification }))
      await commitBatch({ notifications, moved: lost.map(({ id }) => id) })
      expect(await store.outbox.elsewhere(['ops', 'mail'], 10)).toEqual([])
      const due = await store.outbox.due('ops', 0, 10)
      expect(due.map(({ notification }) => notification.key)).toEqual(['a', 'b'])
      expect(await store.outbox.due('old', 0, 10)).toEqual([])
    })

    test('checkpoints are found by the beginning of their names', async () => {
      const values = [
        ['told/a', 3],
        ['told/b', 4],
        ['tol', 5],
      ] as const
      await commitBatch({ checkpoints: new Map(values) })
      expect(await store.outbox.checkpoints('told/')).toEqual(new Map(values.slice(0, 2)))
      expect(await store.outbox.checkpoints('late')).toEqual(new Map())
    })

    test('a wait for a partner is told with one batch, and a new wait again', async () => {
      await submit('a')
      const asks = { type: 'job.status', step: 'm', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0 } as const
      await append('a', 1, { ...asks, counterpart: 'partner 2005' })
      const wait = { runId: 'a', pipeline: 'nightly', step: 'm', counterpart: 'partner 2005', since: 11 }
      const untold = (until: number) => store.outbox.partnerWaits(until)
      expect([await untold(10), await untold(11)]).toEqual([[], [wait]])
      await commitBatch({ partnerWaits: [wait], at: 20 })
      await append('a', 2, asks)
      expect(await untold(99)).toEqual([])
      const answered = { seq: 3, at: 13, record: { ...asks, status: 'RUNNING' }, partnerAnswered: 'm' }
      await store.journal.append('a', [answered])
      await append('a', 4, asks)
      expect(await untold(99)).toMatchObject([{ step: 'm', since: 14 }])
      await end('a', 5, 'cancelled')
      expect(await untold(99)).toEqual([])
    })

    test('pruning leaves what waits and what is new', async () => {
      const add = (key: string, at: number) =>
        commitBatch({ notifications: [{ channel: 'ops', notification: { ...message(key), at } }] })
      await add('old', 1)
      await add('new', 100)
      const due = () => store.outbox.due('ops', 1000, 10)
      await store.outbox.delivered(
        (await due()).map(({ id }) => id),
        200,
      )
      await add('waits', 1)
      await store.outbox.prune(50)
      for (const key of ['old', 'new', 'waits']) await add(key, 1)
      // Only forgotten messages can be added again.
      expect((await due()).map(({ notification }) => notification.key)).toEqual(['waits', 'old'])
    })

    test('when it ends, nothing is noted and nothing waits; it begins anew from there', async () => {
      await store.outbox.begin()
      await note('k1', 'missed')
      await commitBatch({
        notifications: [{ channel: 'ops', notification: message('a') }],
        checkpoints: new Map([['late', 7]]),
      })
      await store.outbox.end()
      await note('k2', 'missed')
      await store.outbox.begin()
      await store.outbox.begin()
      expect(await found()).toEqual([])
      expect(await store.outbox.due('ops', 1000, 10)).toEqual([])
      expect(await store.outbox.checkpoint('late')).toBeUndefined()
      await note('k3', 'missed')
      expect(await found()).toHaveLength(1)
    })
  })
}

function message(key: string): Notification {
  return { key, event: 'failure', at: 9, pipeline: 'nightly', title: 'nightly failed', next: ['audience runs show x'] }
}
