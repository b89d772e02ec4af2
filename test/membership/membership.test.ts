import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { MembershipRule } from '../../src/core/privacy.ts'
import type { FinalStatus, StepRef, StoredRecord } from '../../src/core/run.ts'
import { listsOf } from '../../src/membership/kept-lists.ts'
import { type NewList, openMembership } from '../../src/membership/membership.ts'
import type { RunRow } from '../../src/state/run-history.ts'
import { tempFolder } from '../support/temp-folder.ts'

const KEEP: MembershipRule = { kind: 'fingerprints', keepMs: 1000 }
const signal = new AbortController().signal

test('the first list of a pipeline is all new', async () => {
  expect(await bench().night('r1', ['a', 'b'])).toEqual({ added: 2, removed: 0, kept: 0 })
})

test('a list is compared with the last run that succeeded, not with one that failed', async () => {
  const { night } = bench()
  await night('r1', ['a', 'b', 'c'])
  await night('r2', ['x', 'y'], 'failed')
  expect(await night('r3', ['b', 'c', 'd', 'e'])).toEqual({ added: 2, removed: 1, kept: 2 })
  expect(await night('r4', ['b'])).toEqual({ added: 0, removed: 3, kept: 1 })
})

test('a run that succeeded without the step is passed over', async () => {
  const { night, ended } = bench()
  await night('r1', ['a', 'b'])
  ended('r2', 'succeeded')
  expect(await night('r3', ['b', 'c'])).toEqual({ added: 1, removed: 1, kept: 1 })
})

test('steps, items and pipelines have lists of their own', async () => {
  const { night } = bench()
  await night('r1', ['a', 'b'], 'succeeded', { stepKey: 'audience[x].list' })
  expect(await night('r2', ['a', 'b'], 'succeeded', { stepKey: 'audience[y].list' })).toBeUndefined()
  expect(await night('r3', ['a', 'c'], 'succeeded', { stepKey: 'audience[x].list' })).toEqual({
    added: 1,
    removed: 1,
    kept: 1,
  })
  expect(await night('r4', ['a'], 'succeeded', { pipeline: 'other' })).toEqual({ added: 1, removed: 0, kept: 0 })
})

test('runs at another service do not count', async () => {
  const { night, rows } = bench()
  await night('r1', ['a', 'b'])
  rows[0] = { ...rows[0]!, service: 'https://staging.example.com' }
  expect(await night('r2', ['a'])).toEqual({ added: 1, removed: 0, kept: 0 })
  expect(await night('r3', ['a', 'c'])).toEqual({ added: 1, removed: 0, kept: 1 })
})

test('a retry that kept the list of the run that it repeats has that list', async () => {
  const { folder, night, ended, runs } = bench()
  await night('r1', ['a'])
  await night('r2', ['a', 'b'], 'failed')
  ended('r3', 'succeeded', 'r2')
  expect(await night('r4', ['b', 'c'])).toEqual({ added: 1, removed: 1, kept: 1 })
  const [list, ...more] = await listsOf(folder, { runId: 'r3', seededFrom: 'r2' }, runs)
  expect([list?.facts.keys, more]).toEqual([2, []])
})

test('an item of a forEach that a retry kept as one has the lists of its steps, whichever run made them', async () => {
  const { folder, night, ended, runs } = bench()
  await night('r1', ['a', 'b'], 'failed', { stepKey: 'audience[x].list' })
  const item = { index: 0, key: 'x' }
  ended('r2', 'failed', 'r1', 'nightly', { ...item, step: 'list', block: 'audience', outputs: { keys: 2 } })
  ended('r3', 'succeeded', 'r2', 'nightly', { ...item, step: 'audience', outputs: { list: { keys: 2 } } })
  const lists = await listsOf(folder, { runId: 'r3', seededFrom: 'r2' }, runs)
  expect(lists.map(({ facts }) => [facts.step, facts.keys])).toEqual([['audience[x].list', 2]])
  expect(await night('r4', ['b', 'c'], 'succeeded', { stepKey: 'audience[x].list' })).toEqual({
    ...{ added: 1, removed: 1, kept: 1 },
  })
})

test('it is not known who came and went if the lists have another form', async () => {
  const { night } = bench()
  await night('r1', ['a'])
  expect(await night('r2', ['a'], 'succeeded', { form: { signal: 'EMAIL', hash: 'sha256' } })).toBeUndefined()
})

test('a plan compares and keeps nothing', async () => {
  const { folder, list, membership, night } = bench()
  await night('r1', ['a', 'b'])
  expect(await membership(KEEP).compare(list(['b', 'c', 'd']), signal)).toEqual({ added: 2, removed: 1, kept: 1 })
  expect(await membership(KEEP).compare(list(['b']), signal)).toEqual({ added: 0, removed: 1, kept: 1 })
  expect(await listsOf(folder, { runId: 'r2' }, bench().runs)).toEqual([])
})

test('counts keeps how many keys there were, and no fingerprint', async () => {
  const { folder, list, membership, runs } = bench()
  expect(await membership({ kind: 'counts' }).record({ ...list(['a', 'b']), runId: 'r1' }, signal)).toBeUndefined()
  const [kept] = await listsOf(folder, { runId: 'r1' }, runs)
  const form = { signal: 'EMAIL', hash: 'none' }
  expect(kept?.facts).toEqual({ step: 'list', at: 7, keys: 2, form, normalisation: 'service/2' })
  expect(existsSync(join(folder, 'key'))).toBe(false)
})

test('none writes nothing', async () => {
  const { folder, list, membership } = bench()
  expect(await membership({ kind: 'none' }).record({ ...list(['a']), runId: 'r1' }, signal)).toBeUndefined()
  expect(await membership({ kind: 'none' }).compare(list(['a']), signal)).toBeUndefined()
  expect(existsSync(folder)).toBe(false)
})

function bench() {
  const scratch = tempFolder()
  const folder = join(scratch, 'membership')
  const rows: RunRow[] = []
  const records = new Map<string, StoredRecord[]>()
  const runs = {
    async page({ pipeline, after }: { pipeline?: string; after?: { runId: string } }) {
      const found = rows.filter((row) => row.pipeline === pipeline && row.status === 'succeeded').reverse()
      const from = after ? found.findIndex(({ runId }) => runId === after.runId) + 1 : 0
      // Pages with one row, so that every walk needs several pages.
      const [row] = found.slice(from)
      return row ? { rows: [row], next: row } : { rows: [] }
    },
    records: async (runId: string) => records.get(runId) ?? [],
    lastSuccess: async (pipeline: string) =>
      rows.findLast((row) => row.pipeline === pipeline && row.status === 'succeeded' && row.service === 'here'),
  }
  const membership = (rule: MembershipRule) =>
    openMembership({ folder, rule, runs, here: { profile: 'p', service: 'here' }, clock: { now: () => 7 } })
  const list = (keys: readonly string[], other: Partial<NewList> = {}): NewList => {
    const file = join(scratch, 'list.csv')
    writeFileSync(file, ['email', ...keys, ''].join('\n'))
    return {
      pipeline: 'nightly',
      stepKey: 'list',
      file,
      keys: keys.length,
      form: { signal: 'EMAIL', hash: 'none' },
      normalisation: 'service/2',
      ...other,
    }
  }
  const ended = (
    runId: string,
    status: FinalStatus,
    seededFrom?: string,
    pipeline = 'nightly',
    kept: StepRef & { readonly outputs?: Json } = { step: 'list' },
  ) => {
    const row = { runId, pipeline, status, profile: 'p', service: 'here', submittedAt: rows.length }
    rows.push({ ...row, triggerKind: 'manual', triggerLabel: '', ...(seededFrom !== undefined && { seededFrom }) })
    if (seededFrom === undefined) return
    const record = { type: 'step.finished', ...kept, status: 'succeeded', keptFrom: seededFrom } as const
    records.set(runId, [{ seq: 1, at: 1, record }])
  }
  return {
    ...{ folder, rows, runs, membership, list, ended },
    async night(
      runId: string,
      keys: readonly string[],
      status: FinalStatus = 'succeeded',
      other: Partial<NewList> = {},
    ) {
      const changes = await membership(KEEP).record({ ...list(keys, other), runId }, signal)
      ended(runId, status, undefined, other.pipeline)
      return changes
    },
  }
}
