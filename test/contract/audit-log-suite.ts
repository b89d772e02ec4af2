import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/core/run.ts'
import type { AuditEntry } from '../../src/state/audit-log.ts'
import type { NewRun } from '../../src/state/journal.ts'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from './run-writer.ts'

type Store = Pick<State, 'audit' | 'runs' | 'occurrences'> & { readonly journal: RunWriter }

const NIGHTLY = { pipeline: 'nightly', trigger: 'night' }
const ANA = { by: 'Ana', role: 'approver', address: '10.0.0.7', comment: 'the figures are right' }

/** What every audit log promises. */
export function auditLogSuite(name: string, place: () => Place<Store>): void {
  describe(`audit log: ${name}`, () => {
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

    const submit = (runId: string, own: Partial<Submission> = {}, rest: Partial<NewRun> = {}) =>
      store.journal.submit({ runId, at: 1, record: { ...SUBMISSION, ...own }, ...rest })
    const waits = (runId: string, seq: number) =>
      store.journal.append(runId, [{ seq, at: seq, record: { type: 'step.waiting', ...WAIT } }])
    const entries = async () => (await store.audit.list({ limit: 99 })).toReversed().map(withoutPlace)

    test('has who, from where, what, why and how it went, newest first, also after the state was opened again', async () => {
      await store.audit.add({ ...ANA, act: 'file.upload', subject: 'nightly/drop', detail: 'a.csv', outcome: 'done' })
      await store.audit.add({ act: 'console.login', subject: 'console', outcome: 'used-link' })
      await store.journal.close()
      store = await where.open()
      const [last, first] = await store.audit.list({ limit: 9 })
      expect(first).toEqual({
        ...ANA,
        ...{ act: 'file.upload', subject: 'nightly/drop', detail: 'a.csv', outcome: 'done' },
        id: first?.id,
        at: first?.at,
      })
      expect(Math.abs(Date.now() - (first?.at ?? 0))).toBeLessThan(60_000)
      expect(last && withoutPlace(last)).toEqual({ act: 'console.login', subject: 'console', outcome: 'used-link' })
    })

    test('is read by subject and person, page by page', async () => {
      for (const subject of ['a', 'b', 'a'])
        await store.audit.add({ by: `of ${subject}`, act: 'run.resume', subject, outcome: 'done' })
      const ids = (await store.audit.list({ limit: 9 })).map(({ id }) => id)
      const listed = async (filter: object) => (await store.audit.list({ limit: 9, ...filter })).map(({ id }) => id)
      expect(await listed({ subject: 'a' })).toEqual([ids[0], ids[2]])
      expect(await listed({ by: 'of b' })).toEqual([ids[1]])
      expect(await listed({ before: ids[0], limit: 1 })).toEqual([ids[1]])
    })

    test('a run that a person starts, retries or gets no place for is an entry; one of a trigger is none', async () => {
      const groups = [{ name: 'g', limit: 1, onConflict: 'skip' }] as const
      await submit('a', { startedBy: 'Ana' }, { startedBy: ANA, groups, dedupeKey: 'k' })
      await submit('b', { startedBy: 'Bo' }, { startedBy: { by: 'Bo' }, groups })
      await submit('c', { startedBy: 'Bo' }, { startedBy: { by: 'Bo' }, dedupeKey: 'k' })
      await submit('d', { seed: { runId: 'a', kept: [] }, startedBy: 'Bo' }, { startedBy: { by: 'Bo' } })
      await submit('e')
      expect(await entries()).toEqual([
        { ...ANA, act: 'run.start', subject: 'a', outcome: 'done' },
        { by: 'Bo', act: 'run.start', subject: 'a', outcome: 'skipped' },
        { by: 'Bo', act: 'run.start', subject: 'a', outcome: 'existing' },
        { by: 'Bo', act: 'run.retry', subject: 'd', outcome: 'done' },
      ])
      expect([(await store.runs.find('a'))?.startedBy, (await store.runs.find('e'))?.startedBy]).toEqual([
        'Ana',
        undefined,
      ])
    })

    test('a decision and a cancel of a person are entries; the message has neither role nor address', async () => {
      await submit('a')
      await waits('a', 1)
      await store.runs.send('a', { kind: 'decide', ref: { step: 'release', index: 2 }, decision: 'approved', ...ANA })
      await store.runs.send('a', { kind: 'cancel', by: 'Bo' })
      await store.runs.send('a', { kind: 'cancel' })
      expect(await entries()).toEqual([
        { ...ANA, act: 'run.approved', subject: 'a', detail: 'release[2]', outcome: 'done' },
        { by: 'Bo', act: 'run.cancel', subject: 'a', outcome: 'done' },
      ])
      expect((await store.journal.messages())[0]?.message).toEqual({
        ...{ kind: 'decide', ref: { step: 'release', index: 2 }, decision: 'approved' },
        ...{ by: 'Ana', comment: 'the figures are right' },
      })
    })

    test('a second decision is refused and no entry, also after the first was acted on; a step that waits again takes one', async () => {
      await submit('a')
      await waits('a', 1)
      const approve = () =>
        store.runs.send('a', { kind: 'decide', ref: { step: 'release', index: 2 }, decision: 'approved', by: 'Ana' })
      await approve()
      await expect(approve()).rejects.toMatchObject({ code: 'already-decided' })
      const made = { type: 'decision.made', step: 'release', index: 2, decision: 'approved' } as const
      await store.journal.append('a', [{ seq: 2, at: 2, record: made }])
      for (const { id } of await store.journal.messages()) await store.journal.acknowledge(id)
      await expect(approve()).rejects.toMatchObject({ code: 'already-decided' })
      expect(await entries()).toHaveLength(1)
      await waits('a', 3)
      await approve()
      expect(await entries()).toHaveLength(2)
    })

    test('what a person does to a schedule is an entry; what a daemon notes is none', async () => {
      const slot = { key: 'k', at: 5, state: 'due' } as const
      await store.occurrences.note(NIGHTLY, { occurrences: [slot], cursor: 5 })
      await store.occurrences.pause(NIGHTLY, 5, ANA)
      await store.occurrences.note(NIGHTLY, {
        occurrences: [{ ...slot, key: 'k#2' }],
        act: (noted) => ({ by: 'Bo', act: 'schedule.backfill', detail: `${noted} of 1` }),
      })
      // A caller that changes nothing need not leave an entry.
      const again = { occurrences: [{ ...slot, key: 'k#2' }], known: 'keep' } as const
      await store.occurrences.note(NIGHTLY, {
        ...again,
        act: (noted) => (noted > 0 ? { act: 'schedule.backfill' } : undefined),
      })
      await store.occurrences.unpause(NIGHTLY, { by: 'Bo' })
      await store.occurrences.unpause(NIGHTLY)
      const done = { subject: 'nightly/night', outcome: 'done' }
      expect(await entries()).toEqual([
        { ...ANA, act: 'schedule.pause', ...done },
        { by: 'Bo', act: 'schedule.backfill', detail: '1 of 1', ...done },
        { by: 'Bo', act: 'schedule.resume', ...done },
      ])
    })

    test('the oldest are removed in pieces, and none that is young', async () => {
      for (const subject of ['a', 'b', 'c']) await store.audit.add({ act: 'run.resume', subject, outcome: 'done' })
      expect(await store.audit.forget({ before: 0, limit: 9 })).toBe(0)
      expect(await store.audit.forget({ before: Date.now() + 60_000, limit: 2 })).toBe(2)
      expect((await entries()).map(({ subject }) => subject)).toEqual(['c'])
    })
  })
}

function withoutPlace({ id: _id, at: _at, ...act }: AuditEntry) {
  return act
}

type Submission = Extract<RunRecord, { type: 'run.submitted' }>

const SUBMISSION: Submission = {
  ...{ type: 'run.submitted', pipeline: 'nightly', file: 'f', folder: '/', text: '', digest: '' },
  ...{ inputs: {}, trigger: { kind: 'manual' } },
}

const WAIT = {
  step: 'release',
  index: 2,
  reason: 'approval',
  error: { code: 'approval-needed', kind: 'failed', message: 'Send it?' },
} as const
