import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Measured, RunRecord, StepRef, StoredRecord } from '../../src/core/run.ts'
import type { NewRun } from '../../src/state/journal.ts'
import type { GuardFilter, RunFilter, RunHistory } from '../../src/state/run-history.ts'
import type { NewRecord } from '../../src/state/run-store.ts'
import type { Place, RunWriter } from './run-writer.ts'

const HOUR_MS = 3_600_000

interface Store {
  readonly journal: RunWriter
  readonly runs: RunHistory
}

/** What every history of runs promises. */
export function runHistorySuite(name: string, store: () => Place<Store>): void {
  describe(`run history: ${name}`, () => {
    let place: Place<Store>
    let journal: RunWriter
    let runs: RunHistory

    beforeEach(async () => {
      place = store()
      ;({ journal, runs } = await place.open())
    })
    afterEach(async () => {
      await journal.close()
      await place.remove()
    })

    const add = (runId: string, at: number, own: Partial<Submission> = {}, rest: Partial<NewRun> = {}) =>
      journal.submit({ runId, at, record: { ...SUBMISSION, ...own }, ...rest })
    const append = (runId: string, ...records: NewRecord[]) => journal.append(runId, records)
    const ids = async (filter: Partial<RunFilter>) =>
      (await runs.page({ limit: 9, ...filter })).rows.map(({ runId }) => runId).join(' ')

    test('a row says what a list shows, without a look at the records', async () => {
      const trigger = { kind: 'schedule', id: 'night', date: '2026-11-22', time: '02:00', timezone: 'UTC' }
      await add('a', 1, { trigger, seed: { runId: 'earlier', kept: [] } }, { hold: true })
      expect(await runs.find('a')).toMatchObject({ status: 'queued', submittedAt: 1, triggerKind: 'schedule' })
      expect((await runs.find('a'))?.beganAt).toBeUndefined()
      await journal.admit({ at: 5, room: () => 9, orphans: false })
      const error = { code: 'x', kind: 'failed', message: 'the file is empty', step: 'upload' } as const
      await append('a', { seq: 2, at: 9, record: { type: 'run.finished', status: 'failed', error } })
      expect(await runs.find('a')).toMatchObject({
        ...{ status: 'failed', beganAt: 5, finishedAt: 9, seededFrom: 'earlier' },
        triggerLabel: 'night 2026-11-22 02:00 UTC',
        error: { step: 'upload', message: 'the file is empty' },
      })
      await add('b', 2, { trigger: { kind: 'watch', id: 'drop', name: 'autos.csv' } })
      await add('c', 3, { trigger: { kind: 'run', parent: 'a' } })
      await add('d', 4)
      const labels = (await runs.page({ limit: 3 })).rows.map(({ triggerKind, triggerLabel }) => [
        triggerKind,
        triggerLabel,
      ])
      expect(labels).toEqual([
        ['manual', ''],
        ['run', 'a'],
        ['watch', 'autos.csv'],
      ])
      expect(await runs.find('d')).toMatchObject({ beganAt: 4 })
      expect([await ids({ parent: 'a' }), await ids({ parent: 'autos.csv' })]).toEqual(['c', ''])
    })

    test('an ended run that is packed reads as before; others are not packed; the next call goes on', async () => {
      const outputs = { id: 9_223_372_036_854_775_807n, name: 'Straße 😀' }
      for (const id of ['a', 'b', 'c']) await add(id, 1, { text: `steps of ${id}` })
      await append('a', { seq: 1, at: 2, record: { type: 'step.finished', step: 'x', status: 'succeeded', outputs } })
      for (const [id, seq] of [
        ['a', 2],
        ['c', 1],
      ] as const)
        await append(id, { seq, at: 3, record: { type: 'run.finished', status: 'succeeded', outputs: {} } })
      const read = async () => [
        await runs.page({ limit: 9 }),
        ...(await Promise.all(['a', 'b', 'c'].map(async (id) => [await runs.records(id), await runs.submission(id)]))),
        await runs.records('a', 0),
        await runs.records('a', 2),
      ]
      const before = await read()
      expect(before[4]).toHaveLength(2)
      expect(await runs.pack(60_000)).toBe(false)
      expect(await read()).toEqual(before)
      await append('b', { seq: 1, at: 4, record: { type: 'run.finished', status: 'failed' } })
      const ended = await read()
      expect(await runs.pack(60_000)).toBe(false)
      expect(await runs.pack(60_000)).toBe(false)
      expect(await read()).toEqual(ended)
      expect(await runs.remove(['a', 'b', 'c'], 60_000)).toBe(3)
      expect(await runs.records('a')).toEqual([])
    })

    test('the newest runs of each of some pipelines are read together', async () => {
      for (const [at, id] of ['a', 'b', 'c'].entries()) await add(id, at)
      // Ids decide the order of two with the same time.
      await add('d', 2)
      await add('e', 5, { pipeline: 'other' })
      await add('f', 1, { pipeline: 'unasked' })
      const part = { failures: 1, failuresOf: 3 }
      await append('d', { seq: 1, at: 9, record: { type: 'run.finished', status: 'succeeded', outputs: {}, ...part } })
      await append('c', asks(1, 'm', 'partner 2005'))
      const newest = async (pipelines: string[], limit: number) =>
        (await runs.newestOf({ pipelines, limit }))
          .map(({ last, runs: its }) => `${last.pipeline} ${last.runId}: ${its.map(({ runId }) => runId).join(' ')}`)
          .sort()
      expect(await newest(['demo', 'other', 'nobody'], 3)).toEqual(['demo d: d c b', 'other e: e'])
      expect(await newest(['demo'], 1)).toEqual(['demo d: d'])
      expect(await newest([], 20)).toEqual([])
      const [{ last, runs: marks } = {}] = await runs.newestOf({ pipelines: ['demo'], limit: 2 })
      expect(last).toEqual(await runs.find('d'))
      expect(marks).toEqual([
        { runId: 'd', status: 'succeeded', submittedAt: 2, ...part },
        {
          runId: 'c',
          status: 'running',
          submittedAt: 2,
          partnerWaits: (await runs.find('c'))?.partnerWaits,
        },
      ])
    })

    test('changes keep their order when the newest of them is removed', async () => {
      await add('a', 1)
      await add('b', 1)
      await append('b', { seq: 1, at: 2, record: { type: 'run.finished', status: 'succeeded', outputs: {} } })
      const { sequence } = await runs.changedSince(0, 9)
      await runs.remove(['b'], 60_000)
      await add('c', 3)
      expect((await runs.changedSince(sequence, 9)).rows.map(({ runId }) => runId)).toEqual(['c'])
    })

    test('a run waits for a person until the record that answers the last question', async () => {
      await add('a', 1)
      const status = async () => (await runs.find('a'))?.status
      const decided = { type: 'decision.made', step: 's', decision: 'approved' } as const
      await append('a', waiting(1), waiting(2))
      await append('a', { seq: 3, at: 9, record: decided })
      expect(await status()).toBe('waiting')
      await append('a', {
        seq: 4,
        at: 9,
        record: { type: 'step.finished', step: 't', status: 'failed' },
        answered: true,
      })
      expect(await status()).toBe('running')
      await append('a', waiting(5), { seq: 6, at: 9, record: decided, answered: true })
      expect(await status()).toBe('running')
    })

    test('pages are newest first, filtered, and follow on each other', async () => {
      for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await add(id, at)
      // Ids decide the order of two with the same time.
      await add('e', 3, { pipeline: 'other', trigger: { kind: 'watch', id: 'drop', name: 'e.csv' } })
      await append('b', ended(1, 'failed'))
      await append('c', ended(1, 'succeeded'))
      await append('d', waiting(1))
      expect(await ids({})).toBe('e d c b a')
      expect(await ids({ status: ['failed', 'waiting'] })).toBe('d b')
      expect(await ids({ pipeline: 'other' })).toBe('e')
      expect([await ids({ trigger: 'watch' }), await ids({ trigger: 'drop' })]).toEqual(['e', 'e'])
      expect(await ids({ from: 1, to: 3 })).toBe('c b')
      expect(await ids({ pipeline: 'nobody' })).toBe('')
      const first = await runs.page({ limit: 2 })
      expect(first.next).toEqual({ submittedAt: 3, runId: 'd' })
      const pages = [await ids({ limit: 2 }), await ids({ limit: 2, ...(first.next && { after: first.next }) })]
      expect(pages).toEqual(['e d', 'c b'])
      expect((await runs.page({ limit: 9 })).next).toBeUndefined()
      expect((await runs.lastSuccess('demo'))?.runId).toBe('c')
      expect(await runs.lastSuccess('other')).toBeUndefined()
      expect(await runs.endedSince(9)).toEqual({ succeeded: 1, failed: 1, cancelled: 0 })
      expect(await runs.endedSince(Date.now() + 60_000)).toEqual({ succeeded: 0, failed: 0, cancelled: 0 })
      expect(await runs.counts()).toEqual({ queued: 0, running: 2, waiting: 1 })
      expect(await runs.succeededInPart(9)).toBe(0)
      const partly = { type: 'run.finished', status: 'succeeded', failures: 2, failuresOf: 20 } as const
      await append('e', { seq: 1, at: 9, record: partly })
      expect([await runs.succeededInPart(9), await runs.succeededInPart(1e15)]).toEqual([1, 0])
      await add('f', 5)
      await append('f', { seq: 1, at: 9, record: partly })
      const partial = { partial: true }
      const filters = [
        {},
        { pipeline: 'other' },
        { status: ['succeeded'] },
        { status: ['failed'] },
        { limit: 1 },
      ] as const
      expect(await Promise.all(filters.map((filter) => ids({ ...partial, ...filter })))).toEqual([
        'f e',
        'e',
        'f e',
        '',
        'f',
      ])
      expect(await ids({ ...partial, trigger: 'watch', look: 2 })).toBe('e')
      expect(await ids({ ...partial, after: { submittedAt: 5, runId: 'f' } })).toBe('e')
    })

    test('decisions are read as they were sent, in order, until the owner of the run has taken them up', async () => {
      await add('a', 1)
      await add('b', 1)
      const item: StepRef = { step: 'release', index: 1, key: 'seg07', block: 'audience' }
      const yes = { ref: item, decision: 'approved', by: 'Ana', comment: 'looks 👍' } as const
      const again = { ref: { step: 'activate' }, decision: 'again' } as const
      await runs.send('a', { kind: 'decide', ...yes })
      await runs.send('a', { kind: 'cancel', by: 'Bo' })
      await runs.send('a', { kind: 'decide', ...again })
      expect(await runs.decisionsSent('a')).toEqual([yes, again])
      await expect(runs.send('a', { kind: 'decide', ...yes, decision: 'rejected' })).rejects.toMatchObject({
        code: 'already-decided',
      })
      expect(await runs.decisionsSent('a')).toEqual([yes, again])
      expect([await runs.decisionsSent('b'), await runs.decisionsSent('nobody')]).toEqual([[], []])
      const [first] = await journal.messages()
      await journal.acknowledge(first!.id)
      expect(await runs.decisionsSent('a')).toEqual([again])
    })

    test('a message for a queued run reaches its owner before the run begins', async () => {
      await add('a', 1, {}, { hold: true })
      await runs.send('a', { kind: 'cancel' })
      expect(await journal.messages()).toMatchObject([{ runId: 'a', message: { kind: 'cancel' } }])
    })

    test('the steps that wait for another step are known until they wait no longer, or their run has ended', async () => {
      for (const runId of ['a', 'b']) await add(runId, 1)
      const item: StepRef = { step: 'activate', index: 1, key: 'x', block: 'each' }
      const thing = 'activation "Autos" of segment 7'
      const by = { runId: 'a', step: 'activate' }
      await append('a', { seq: 1, at: 2, record: { type: 'step.blocked', step: 'match', thing: 'match', by } })
      await append('b', { seq: 1, at: 2, record: { type: 'step.blocked', ...item, thing, by: { ...by, runId: 'c' } } })
      await append('b', { seq: 2, at: 3, record: { type: 'step.blocked', ...item, thing, by } })
      const blocked = { runId: 'b', step: 'each[x].activate', thing, by }
      expect(await runs.blocked({ limit: 9 })).toEqual([{ runId: 'a', step: 'match', thing: 'match', by }, blocked])
      expect(await runs.blocked({ limit: 1 })).toHaveLength(1)
      expect(await runs.blocked({ runIds: ['b', 'nobody'], limit: 9 })).toEqual([blocked])
      await append('b', { seq: 3, at: 4, record: { type: 'step.unblocked', ...item }, unblocked: 'each[x].activate' })
      await append('a', { seq: 2, at: 4, record: { type: 'run.finished', status: 'cancelled' } })
      expect(await runs.blocked({ limit: 9 })).toEqual([])
    })

    test('the steps that wait for a partner are known until it answers, or their run has ended, and lists show a change', async () => {
      for (const runId of ['a', 'b', 'c']) await add(runId, 1)
      await append('a', { seq: 1, at: 5, record: { type: 'step.started', step: 'm', attempt: 1 } })
      const { sequence } = await runs.changedSince(0, 9)
      await append('a', asks(2, 'm', 'partner 2005'))
      const changed = await runs.changedSince(sequence, 9)
      expect(changed.rows.map(({ runId, status }) => [runId, status])).toEqual([['a', 'running']])
      // Another process reads the same status.
      await append('a', asks(3, 'm', 'partner 2005'))
      expect((await runs.find('a'))?.partnerWaits).toEqual({
        ...{ steps: 1, partners: 1, counterpart: 'partner 2005', since: 20 },
      })
      await append('b', asks(1, 'm', 'partner 2003'), asks(2, 'n', 'partner 2005'))
      await append('c', asks(1, 'm'))
      const waits = async () => (await runs.page({ limit: 9 })).rows.map(({ partnerWaits }) => partnerWaits)
      expect(await waits()).toEqual([
        { steps: 1, partners: 1, since: 10 },
        { steps: 2, partners: 2, since: 10 },
        { steps: 1, partners: 1, counterpart: 'partner 2005', since: 20 },
      ])
      const first = { runId: 'b', pipeline: 'demo', step: 'm', counterpart: 'partner 2003', since: 10 }
      expect(await runs.partnerWaits({ limit: 1 })).toEqual([first])
      expect((await runs.partnerWaits({ limit: 9 })).map(({ runId, step }) => `${runId} ${step}`)).toEqual([
        ...['b m', 'c m', 'a m', 'b n'],
      ])
      const { sequence: before } = await runs.changedSince(0, 9)
      const running = { type: 'job.status', step: 'n', jobId: '7', status: 'RUNNING', waitedMs: 9 } as const
      await append('b', { seq: 3, at: 40, record: running, partnerAnswered: 'n' })
      expect((await runs.changedSince(before, 9)).rows.map(({ runId }) => runId)).toEqual(['b'])
      await append('a', { seq: 4, at: 50, record: { type: 'run.finished', status: 'cancelled' } })
      expect(await waits()).toEqual([
        { steps: 1, partners: 1, since: 10 },
        { ...(await waits())[1], steps: 1 },
        undefined,
      ])
      expect(await runs.partnerWaits({ limit: 9 })).toHaveLength(2)
    })

    test('a run waits for the partners of the runs below it, and shows a change with them', async () => {
      await add('top', 1)
      await add('child', 2, { trigger: { kind: 'run', parent: 'top' } })
      await add('deep', 3, { trigger: { kind: 'run', parent: 'child', depth: 2 } })
      // A slot may have the same name as a run. The slot's run is not one of the runs below that run.
      await add('other', 4, { trigger: { kind: 'watch', id: 'drop', name: 'top' } })
      await append('other', asks(1, 'm', 'partner 9'))
      const { sequence } = await runs.changedSince(0, 9)
      const changed = async (since: number) => (await runs.changedSince(since, 9)).rows.map(({ runId }) => runId)
      await append('deep', asks(1, 'm', 'partner 2005'))
      expect(await changed(sequence)).toEqual(['deep', 'child', 'top'])
      const waits = { steps: 1, partners: 1, counterpart: 'partner 2005', since: 10 }
      for (const runId of ['top', 'child', 'deep']) expect((await runs.find(runId))?.partnerWaits).toEqual(waits)
      await append('top', asks(1, 'own', 'partner 2003'))
      expect((await runs.find('top'))?.partnerWaits).toEqual({ steps: 2, partners: 2, since: 10 })
      expect((await runs.find('child'))?.partnerWaits).toEqual(waits)
      // A wait for a partner is shown once, at the run that waits.
      expect((await runs.partnerWaits({ limit: 9 })).map(({ runId }) => runId)).toEqual(['deep', 'other', 'top'])
      const before = (await runs.changedSince(sequence, 9)).sequence
      await append('deep', { seq: 2, at: 40, record: { type: 'run.finished', status: 'failed' } })
      expect(await changed(before)).toEqual(['deep', 'child', 'top'])
      expect((await runs.find('child'))?.partnerWaits).toBeUndefined()
      expect((await runs.find('top'))?.partnerWaits).toMatchObject({ steps: 1, counterpart: 'partner 2003' })
      await append('top', { seq: 2, at: 50, record: { type: 'run.finished', status: 'failed' } })
      expect((await runs.find('top'))?.partnerWaits).toBeUndefined()
    })

    test('a wait for a partner leaves a run that waits for a person as it is', async () => {
      await add('a', 1)
      await append('a', waiting(1))
      const record = { type: 'job.status', step: 'm', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0 } as const
      await append('a', { seq: 2, at: 9, record })
      expect(await runs.find('a')).toMatchObject({ status: 'waiting', partnerWaits: { since: 9 } })
    })

    test('failures of one kind are one group, until they are acknowledged and the pipeline succeeds', async () => {
      const fails = async (runId: string, at: number, message = 'job 17 failed', pipeline = 'demo') => {
        await add(runId, at, { pipeline })
        const error = { code: 'x', kind: 'failed', message, step: 's' } as const
        await append(runId, { seq: 1, at, record: { type: 'run.finished', status: 'failed', error } })
      }
      const succeeds = async (runId: string, at: number, pipeline = 'demo') => {
        await add(runId, at, { pipeline })
        await append(runId, { seq: 1, at, record: { type: 'run.finished', status: 'succeeded' } })
      }
      const groups = async (since = 0, limit = 9) =>
        (await runs.failureGroups({ since, limit })).map(
          ({ run, failures, firstAt, lastAt }) =>
            `${run.runId}: ${failures} ${firstAt}-${lastAt}${run.acknowledged ? ` ${run.acknowledged.by}` : ''}`,
        )
      await fails('a1', 10)
      await fails('a2', 20, 'job 18 failed')
      await fails('b1', 30, 'no such file')
      await fails('c1', 40, 'job 17 failed', 'other')
      expect(await groups()).toEqual(['c1: 1 40-40', 'b1: 1 30-30', 'a2: 2 10-20'])
      expect([await groups(20), await groups(0, 1)]).toEqual([
        ['c1: 1 40-40', 'b1: 1 30-30', 'a2: 1 20-20'],
        ['c1: 1 40-40'],
      ])
      const { error } = (await runs.find('a1')) ?? {}
      const kind = { pipeline: 'demo', error: error?.key ?? '' }
      expect([await ids(kind), await ids({ ...kind, status: ['failed'] })]).toEqual(['a2 a1', 'a2 a1'])
      expect([await ids({ ...kind, status: ['queued'] }), await ids({ error: 'nothing' })]).toEqual(['', ''])
      const seen = { by: 'Ana', role: 'operator', comment: 'the disk is full', at: 45 }
      expect(await runs.acknowledge('a1', seen)).toBe(true)
      expect((await runs.find('a2'))?.acknowledged).toEqual({ at: 45, by: 'Ana', comment: 'the disk is full' })
      expect(await groups()).toEqual(['c1: 1 40-40', 'b1: 1 30-30', 'a2: 2 10-20 Ana'])
      // A later failure is not new either, until the pipeline has succeeded.
      await succeeds('d1', 50, 'other')
      await fails('a3', 60)
      expect(await groups()).toEqual(['c1: 1 40-40', 'b1: 1 30-30', 'a3: 3 10-60 Ana'])
      await fails('a3-again', 65)
      expect(await groups()).toEqual(['c1: 1 40-40', 'b1: 1 30-30', 'a3-again: 4 10-65 Ana'])
      await succeeds('a4', 70)
      expect((await runs.find('a3'))?.acknowledged).toMatchObject({ by: 'Ana' })
      await fails('a5', 80)
      expect(await groups()).toEqual(['a5: 5 10-80', 'c1: 1 40-40', 'b1: 1 30-30'])
      expect((await runs.find('a5'))?.acknowledged).toBeUndefined()
      await runs.acknowledge('a5', { ...seen, by: 'Bo', at: 85 })
      expect((await groups())[2]).toBe('a5: 5 10-80 Bo')
      expect([await runs.acknowledge('a4', seen), await runs.acknowledge('nobody', seen)]).toEqual([false, false])
    })

    test('a search finds parts of ids, names, labels and errors, whatever their case, and no pattern', async () => {
      await add('run-1', 1, { trigger: { kind: 'watch', name: 'Autos_Q4.csv' } })
      await add('run-2', 2, { trigger: { kind: 'watch', name: '100%.csv' } })
      const error = { code: 'x', kind: 'failed', message: 'job 17 was Rejected' } as const
      await append('run-2', { seq: 1, at: 3, record: { type: 'run.finished', status: 'failed', error } })
      const found = await Promise.all(
        ['RUN-1', 'autos_q', 'autosXq', 'demo', '100%', '00%.', '%%%', 'rejected', 'nobody'].map((text) =>
          ids({ text }),
        ),
      )
      expect(found).toEqual(['run-1', 'run-1', '', 'run-2 run-1', 'run-2', 'run-2', '', 'run-2', ''])
    })

    test('a page with a text or a trigger looks at a limited number of runs; the pages after it look further, and show each run once', async () => {
      const trigger = { kind: 'watch', id: 'drop', name: 'autos.csv' }
      // Three runs have the same time, so their ids decide the order.
      for (const [index, id] of ['a', 'b', 'c', 'd', 'e', 'f', 'g'].entries())
        await add(id, Math.min(index, 4), {
          pipeline: 'abcg'.includes(id) ? 'demo' : 'other',
          ...('ae'.includes(id) && { trigger }),
        })
      for (const id of ['a', 'd', 'e']) await append(id, ended(1, 'failed'))
      const pages = async (filter: Partial<RunFilter>) => {
        const found: string[] = []
        let next: RunFilter['after']
        do {
          const page = await runs.page({ limit: 9, look: 2, ...filter, ...(next && { after: next }) })
          ;({ next } = page)
          found.push(`${page.rows.map(({ runId }) => runId).join(' ')}${next ? ` to ${next.runId}` : ''}`)
        } while (next)
        return found
      }
      expect(await pages({ text: 'autos' })).toEqual([' to f', 'e to d', ' to b', 'a'])
      expect(await pages({ trigger: 'drop' })).toEqual([' to f', 'e to d', ' to b', 'a'])
      expect(await pages({ text: 'nothing is called so' })).toEqual([' to f', ' to d', ' to b', ''])
      // A full page ends with its last run.
      expect(await pages({ text: 'demo', limit: 1 })).toEqual(['g to g', ' to e', 'c to c', 'b to b', 'a to a', ''])
      // Rows that an index already excludes are not read.
      expect(await pages({ text: 'autos', pipeline: 'demo' })).toEqual([' to c', 'a to a', ''])
      expect(await pages({ text: 'autos', status: ['failed'] })).toEqual(['e to d', 'a'])
      expect(await pages({ text: 'autos', pipeline: 'demo', status: ['failed', 'running'] })).toEqual([
        ' to c',
        'a to a',
        '',
      ])
      expect(await pages({ text: 'autos', from: 4, to: 5 })).toEqual([' to f', 'e'])
      // Without such a filter, the limit of read rows has no effect.
      expect(await pages({})).toEqual(['g f e d c b a'])
    })

    test('a part of an id means the runs that begin with it, and those whose part after the time begins or ends with it', async () => {
      for (const id of ['20261122t102203-abc', '20261122t102204-xabc', '20261123t102204-bcabx', 'abc-1'])
        await add(id, 1)
      const named = async (text: string, limit = 9) => (await runs.named(text, limit)).join(' ')
      expect(await named('abc')).toBe('abc-1 20261122t102204-xabc 20261122t102203-abc')
      expect(await named('abc', 1)).toBe('abc-1')
      expect(await named('bca')).toBe('20261123t102204-bcabx')
      expect(await named('20261122')).toBe('20261122t102204-xabc 20261122t102203-abc')
      expect(await named('abc-1')).toBe('abc-1')
      expect([await named('022'), await named('%'), await named('')]).toEqual(['', '', ''])
    })

    test('what changed comes in the order of the changes, each run once with its newest state', async () => {
      await add('a', 1)
      await add('b', 2)
      const first = await runs.changedSince(0, 9)
      expect(first.rows.map(({ runId }) => runId)).toEqual(['a', 'b'])
      expect((await runs.changedSince(first.sequence, 9)).rows).toEqual([])
      await append('b', waiting(1))
      await append('a', ended(1, 'failed'))
      await add('c', 3)
      const next = await runs.changedSince(first.sequence, 2)
      expect(next.rows.map(({ runId, status }) => `${runId} ${status}`)).toEqual(['b waiting', 'a failed'])
      expect((await runs.changedSince(next.sequence, 9)).rows.map(({ runId }) => runId)).toEqual(['c'])
    })

    test('hours count how runs ended, also after they were removed', async () => {
      for (const [index, status] of (['succeeded', 'failed', 'failed'] as const).entries()) {
        await add(`r${index}`, HOUR_MS * (10 + index) + 5)
        await append(`r${index}`, ended(1, status))
      }
      await add('other', HOUR_MS * 11, { pipeline: 'other' })
      await append('other', ended(1, 'failed'))
      await add('part', HOUR_MS * 10)
      const partly = { type: 'run.finished', status: 'succeeded', failures: 1, failuresOf: 3 } as const
      await append('part', { seq: 1, at: 3, record: partly })
      await runs.remove(['r1', 'part'], 1000)
      const hours = async (pipeline?: string) =>
        await runs.countsByHour({ from: HOUR_MS * 10, to: HOUR_MS * 12, ...(pipeline && { pipeline }) })
      const none = { succeeded: 0, succeededInPart: 0, failed: 0, cancelled: 0 }
      expect(await hours()).toEqual([
        { ...none, at: 10 * HOUR_MS, succeeded: 2, succeededInPart: 1 },
        { ...none, at: 11 * HOUR_MS, failed: 2 },
      ])
      expect(await hours('other')).toEqual([{ ...none, at: 11 * HOUR_MS, failed: 1 }])
      expect(await hours('nobody')).toEqual([])
    })

    test('figures are the numbers that steps put out, newest run first', async () => {
      const outputs = { matchCount: 866, rate: 0.5, big: 9007199254740993n, name: 'x', nested: { n: 1 } }
      for (const runId of ['a', 'b']) {
        await add(runId, runId === 'a' ? 1 : 2)
        const step = { type: 'step.finished', status: 'succeeded' } as const
        await append(runId, { seq: 1, at: 3, record: { ...step, step: 'match', outputs } })
        await append(runId, { seq: 2, at: 3, record: { ...step, step: 'each', index: 0, outputs } })
      }
      const figures = await runs.figures({ pipeline: 'demo', name: 'matchCount', limit: 9 })
      expect(figures).toEqual(['b', 'a'].map((runId) => ({ runId, step: 'match', name: 'matchCount', value: 866 })))
      const names = (await runs.figures({ pipeline: 'demo', step: 'match', limit: 1 })).map((figure) => figure.name)
      expect(names).toEqual(['big', 'matchCount', 'rate'])
      await append('a', ended(3, 'succeeded'))
      await runs.remove(['a'], 1000)
      expect(await runs.figures({ pipeline: 'demo', name: 'rate', limit: 9 })).toMatchObject([{ runId: 'b' }])
    })

    test('the values of guards, newest run first, and which of them others can learn from', async () => {
      const measured = (seq: number, value: number, own: Partial<Measured & StepRef> = {}): StoredRecord => ({
        seq,
        at: 3,
        record: { type: 'guard.measured', step: 'match', of: 'people', value, verdict: 'good', ...own },
      })
      const decision = (seq: number, decided: 'approved' | 'rejected'): StoredRecord => ({
        seq,
        at: 4,
        record: { type: 'decision.made', step: 'match', decision: decided },
      })
      const runOf = async (runId: string, ...records: readonly StoredRecord[]) => {
        await add(runId, runId.charCodeAt(0))
        await append(runId, ...records)
      }
      await runOf('a', measured(1, 866), ended(2, 'succeeded'))
      await runOf('b', measured(1, 860), ended(2, 'failed'))
      await runOf(
        'c',
        measured(1, 167, { verdict: 'held' }),
        waiting(2),
        decision(3, 'approved'),
        ended(4, 'succeeded'),
      )
      await runOf(
        'd',
        measured(1, 168, { verdict: 'held' }),
        waiting(2),
        decision(3, 'rejected'),
        ended(4, 'succeeded'),
      )
      await runOf('e', measured(1, 500, { verdict: 'warned' }), ended(2, 'succeeded'))
      await runOf('f', measured(1, 0.5, { of: 'share' }), measured(2, 3, { step: 'other' }), ended(3, 'succeeded'))
      await runOf('g', measured(1, 870, { verdict: 'held' }))
      const values = async (filter: Partial<GuardFilter>) =>
        (await runs.guardValues({ pipeline: 'demo', step: 'match', limit: 9, ...filter })).map(
          ({ runId, value, verdict }) => `${runId} ${value} ${verdict}`,
        )
      expect(await values({})).toEqual([
        ...['g 870 held', 'f 0.5 good', 'e 500 warned', 'd 168 rejected', 'c 167 approved', 'b 860 good', 'a 866 good'],
      ])
      expect(await values({ goodOf: 'people' })).toEqual(['e 500 warned', 'c 167 approved', 'a 866 good'])
      expect(await values({ goodOf: 'people', limit: 2 })).toEqual(['e 500 warned', 'c 167 approved'])
      expect(await values({ pipeline: 'other' })).toEqual([])
      expect(await runs.guardValues({ pipeline: 'demo', step: 'match', goodOf: 'people', limit: 1 })).toEqual([
        { runId: 'e', value: 500, verdict: 'warned' },
      ])
      await runs.remove(['e'], 1000)
      expect(await values({ goodOf: 'people' })).toEqual(['c 167 approved', 'a 866 good'])
    })

    test('the values of the items of a forEach are limited for each item', async () => {
      for (const [at, runId] of ['a', 'b', 'c'].entries()) {
        await add(runId, at)
        const record = { type: 'guard.measured', step: 'each', of: 'x', verdict: 'good' } as const
        await append(
          runId,
          { seq: 1, at: 3, record: { ...record, index: 0, item: 'metro', value: at } },
          { seq: 2, at: 3, record: { ...record, index: 1, item: 'city', value: 10 + at } },
        )
      }
      const found = await runs.guardValues({ pipeline: 'demo', step: 'each', limit: 2 })
      expect(found.map(({ runId, item, value }) => `${runId} ${item} ${value}`)).toEqual([
        ...['c city 12', 'c metro 2', 'b city 11', 'b metro 1'],
      ])
    })

    test('runs of one document share its text, and it goes with the last of them', async () => {
      await add('a', 1)
      await add('b', 2)
      const other = 'version: 1 # changed'
      await add('c', 3, { text: other })
      expect((await runs.records('a'))[0]?.record).toEqual(SUBMISSION)
      expect((await runs.records('c'))[0]?.record).toEqual({ ...SUBMISSION, text: other })
      await append('a', ended(1, 'failed'))
      await runs.remove(['a'], 1000)
      expect((await runs.records('b'))[0]?.record).toEqual(SUBMISSION)
    })

    test('of a removed run nothing is found', async () => {
      await add('gone-away', 1)
      await append('gone-away', ended(1, 'failed'))
      await runs.remove(['gone-away'], 1000)
      expect([await runs.find('gone-away'), await runs.records('gone-away'), await ids({ text: 'gone' })]).toEqual([
        undefined,
        [],
        '',
      ])
    })

    test('of each pipeline the newest runs are kept, the last successful one, and what has not ended; the rest expires', async () => {
      const record = async (runId: string, at: number, pipeline: string, status?: 'succeeded' | 'failed') => {
        await add(runId, at, { pipeline })
        if (status) await append(runId, { ...ended(1, status), at: at + 1 })
      }
      await record('a1', 1, 'a', 'failed')
      await record('a2', 2, 'a', 'succeeded')
      await record('a3', 3, 'a')
      await record('a4', 4, 'a', 'failed')
      await record('a5', 5, 'a', 'failed')
      await record('a6', 6, 'a', 'failed')
      await record('b1', 1, 'b', 'failed')
      await record('c1', 1, 'c')
      expect(await runs.pipelines()).toEqual(['a', 'b', 'c'])
      const expired = async (pipeline: string, before: number, keep: number, limit = 9) =>
        (await runs.expired({ pipeline, before, keep, limit })).join(' ')
      expect(await expired('a', 100, 0)).toBe('a1 a4 a5 a6')
      expect(await expired('a', 100, 0, 2)).toBe('a1 a4')
      expect(await expired('a', 100, 2)).toBe('a1 a4')
      expect(await expired('a', 6, 0)).toBe('a1 a4')
      expect(await expired('a', 100, 9)).toBe('')
      expect([
        await expired('b', 100, 0),
        await expired('b', 100, 1),
        await expired('c', 100, 0),
        await expired('none', 100, 0),
      ]).toEqual([...['b1', '', '', '']])
    })

    test('of two successes that were submitted at the same time, only the one with the later id is kept', async () => {
      for (const runId of ['a1', 'a2', 'a3']) {
        await add(runId, 1)
        await append(runId, ended(1, runId === 'a3' ? 'failed' : 'succeeded'))
      }
      expect(await runs.expired({ pipeline: 'demo', before: 100, keep: 0, limit: 9 })).toEqual(['a1', 'a3'])
      expect(await runs.expired({ pipeline: 'demo', before: 100, keep: 2, limit: 2 ** 31 })).toEqual(['a1'])
    })

    test('only runs that have ended are removed, with all their records', async () => {
      await Promise.all([add('a', 1), add('b', 1)])
      await journal.append('a', [ended(1, 'succeeded')])
      await runs.remove(['a', 'b'], 1000)
      expect([await runs.find('a'), await runs.records('a')]).toEqual([undefined, []])
      expect(await runs.records('b')).toHaveLength(1)
    })
  })
}

type Submission = Extract<RunRecord, { type: 'run.submitted' }>

const SUBMISSION: Submission = {
  type: 'run.submitted',
  pipeline: 'demo',
  file: 'demo.yaml',
  folder: '/',
  text: 'version: 1',
  digest: 'd',
  inputs: {},
  trigger: { kind: 'manual' },
}

function ended(seq: number, status: 'succeeded' | 'failed'): StoredRecord {
  return { seq, at: 9, record: { type: 'run.finished', status } }
}

function asks(seq: number, step: string, counterpart?: string): NewRecord {
  const record = { type: 'job.status', step, jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0, counterpart } as const
  return { seq, at: 10 * seq, record }
}

function waiting(seq: number): StoredRecord {
  const error = { code: 'x', kind: 'failed', message: 'Send it?' } as const
  return { seq, at: 9, record: { type: 'step.waiting', step: 's', reason: 'approval', error } }
}
