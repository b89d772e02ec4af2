import { expect, test } from 'vitest'
import type { RunRecord, StoredRecord } from '../../src/core/run.ts'
import { guardsWarned } from '../../src/notifications/run-notifications.ts'

const ENDED = { kind: 'ended', id: 1, runId: 'r1', pipeline: 'nightly', status: 'succeeded', finishedAt: 9 } as const
const SUBMITTED = { type: 'run.submitted', pipeline: 'nightly', file: 'a.yaml', folder: '/', text: '', digest: '' }

/** The notification of a run that has a guard with each of these verdicts. */
function warned(...verdicts: readonly ('warned' | 'good' | 'stopped')[]) {
  const measured = verdicts.map((verdict, at) => {
    const breach = verdict === 'good' ? {} : { breach: { limit: 'max', at: 10 } }
    return { type: 'guard.measured', step: `s${at}`, value: 20, verdict, ...breach }
  })
  const records = [{ ...SUBMITTED, inputs: {}, trigger: {} }, ...measured] as unknown as readonly RunRecord[]
  return guardsWarned(
    ENDED,
    records.map((record, seq): StoredRecord => ({ seq, at: seq, record })),
  )
}

test('a run that went on although guards warned names five of them, and how many more there are', () => {
  expect([warned(), warned('good'), warned('stopped')]).toEqual([undefined, undefined, undefined])
  expect(warned('good', 'warned')).toMatchObject({
    ...{ key: 'warning/r1', step: 's1', title: 'nightly went on although a guard warned' },
    error: { message: "s1: 20 is more than 10, the guard's max" },
  })
  const texts = (count: number) =>
    Array.from({ length: count }, (_, at) => `s${at}: 20 is more than 10, the guard's max`)
  expect(warned(...Array(5).fill('warned'))?.error?.message).toBe(texts(5).join('; '))
  const seven = warned(...Array(7).fill('warned'))
  expect(seven).toMatchObject({ title: 'nightly went on although 7 guards warned' })
  expect(seven?.error?.message).toBe(`${texts(5).join('; ')}; and 2 more`)
})
