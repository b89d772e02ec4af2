import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorKey } from '../../src/core/error-key.ts'
import type { RunRecord, StoredRecord } from '../../src/core/run.ts'
import type { PageKey, RunFilter, RunHistory, RunRow } from '../../src/state/run-history.ts'
import type { Place, RunWriter } from './run-writer.ts'

interface Store {
  readonly journal: RunWriter
  readonly runs: RunHistory
}

const MESSAGES = ['100 % of it', 'a_b\\c', 'No file'] as const
const TRIGGERS = [
  { kind: 'manual' },
  { kind: 'watch', id: 'drop', name: 'Autos_1.csv' },
  { kind: 'schedule', id: 'night', date: '2026-11-22' },
  { kind: 'run', parent: 'r0' },
] as const

const ends = ['none', 'waiting', 'succeeded', 'partial', 'failed', 'cancelled'] as const
const history = fc.array(
  fc.record({
    /** Some runs have the same time. */
    at: fc.nat(6),
    pipeline: fc.constantFrom('demo', 'other'),
    trigger: fc.constantFrom(...TRIGGERS),
    end: fc.constantFrom(...ends),
    message: fc.constantFrom(...MESSAGES),
    endedAt: fc.integer({ min: 7, max: 12 }),
  }),
  { minLength: 1, maxLength: 12 },
)
type Lived = ReturnType<typeof history.generate>['value'][number]

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 })
const statuses = ['running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
const filters = fc
  .record({
    pipeline: maybe(fc.constantFrom('demo', 'other', 'nobody')),
    status: maybe(fc.subarray([...statuses], { minLength: 1 })),
    trigger: maybe(fc.constantFrom('manual', 'watch', 'drop', 'run', 'night')),
    parent: maybe(fc.constantFrom('r0', 'r1')),
    text: maybe(fc.constantFrom('%', '_', 'a_b\\', 'AUTOS', 'r1', 'emo', '2026-11', 'nothing')),
    from: maybe(fc.nat(7)),
    to: maybe(fc.nat(7)),
    partial: maybe(fc.boolean()),
    error: maybe(fc.constantFrom(...MESSAGES).map((message) => errorKey(errorOf(message)))),
    limit: fc.integer({ min: 1, max: 5 }),
  })
  .map((filter) => JSON.parse(JSON.stringify(filter)) as RunFilter)

/** The content of a list of runs, for any filter. */
export function runFilterSuite(name: string, place: () => Place<Store>, { plans }: { readonly plans: number }): void {
  describe(`filters of runs: ${name}`, () => {
    test('pages have together what the filter means, newest first, each run once', async () => {
      const plan = fc.tuple(history, fc.array(filters, { minLength: 25, maxLength: 25 }))
      await fc.assert(
        fc.asyncProperty(plan, async ([lived, asked]) => {
          const opened = place()
          const { journal, runs } = await opened.open()
          try {
            for (const [index, one] of lived.entries()) await live(journal, `r${index}`, one)
            for (const filter of asked) expect(await idsOf(runs, filter)).toEqual(expectedOf(lived, filter))
            for (const since of [0, 8, 10, 12]) {
              expect(await runs.endedSince(since)).toEqual(endsSince(lived, since))
              const inPart = lived.filter(({ end, endedAt }) => end === 'partial' && endedAt >= since).length
              expect(await runs.succeededInPart(since)).toBe(inPart)
            }
            const counts = await runs.counts()
            const running = lived.filter(({ end }) => end === 'none').length
            const waiting = lived.filter(({ end }) => end === 'waiting').length
            expect(counts).toEqual({ queued: 0, running, waiting })
            for (const pipeline of ['demo', 'other', 'nobody'])
              expect((await runs.lastSuccess(pipeline))?.runId).toBe(lastSuccess(lived, pipeline))
            expect(await runs.pipelines()).toEqual([...new Set(lived.map((one) => one.pipeline))].toSorted())
          } finally {
            await journal.close()
            await opened.remove()
          }
        }),
        { numRuns: plans },
      )
    })
  })
}

function errorOf(message: string) {
  return { code: 'x', kind: 'failed', message, step: 's' } as const
}

async function live(journal: RunWriter, runId: string, { at, pipeline, trigger, end, message, endedAt }: Lived) {
  const document = { file: 'a.yaml', folder: '/', text: 'version: 1', digest: 'd', inputs: {} }
  await journal.submit({ runId, at, record: { type: 'run.submitted', pipeline, trigger, ...document } })
  if (end === 'none') return
  const records: Readonly<Record<Exclude<Lived['end'], 'none'>, RunRecord>> = {
    waiting: { type: 'step.waiting', step: 's', reason: 'approval', error: errorOf('Send it?') },
    succeeded: { type: 'run.finished', status: 'succeeded' },
    partial: { type: 'run.finished', status: 'succeeded', failures: 1, failuresOf: 2 },
    failed: { type: 'run.finished', status: 'failed', error: errorOf(message) },
    cancelled: { type: 'run.finished', status: 'cancelled' },
  }
  const stored: StoredRecord = { seq: 1, at: endedAt, record: records[end] }
  await journal.append(runId, [stored])
}

/** All pages, one after the other. */
async function idsOf(runs: RunHistory, filter: RunFilter): Promise<readonly string[]> {
  const ids: string[] = []
  let after: PageKey | undefined
  for (let pages = 0; pages < 30; pages += 1) {
    const { rows, next } = await runs.page({ ...filter, ...(after && { after }) })
    expect(rows.length).toBeLessThanOrEqual(filter.limit)
    ids.push(...rows.map(({ runId }) => runId))
    if (!next) return ids
    after = next
  }
  throw new Error('the pages do not end')
}

interface Known extends Lived {
  readonly runId: string
}

function newestFirst(lived: readonly Lived[]): readonly Known[] {
  const known = lived.map((one, index) => ({ ...one, runId: `r${index}` }))
  return known.toSorted((a, b) => b.at - a.at || (a.runId < b.runId ? 1 : -1))
}

function statusOf({ end }: Lived): RunRow['status'] {
  return end === 'none' ? 'running' : end === 'partial' ? 'succeeded' : end
}

function expectedOf(lived: readonly Lived[], filter: RunFilter): readonly string[] {
  const { pipeline, status, trigger, parent, text, from = 0, to = 99, partial, error } = filter
  const shows = (one: Known): boolean => {
    const { kind } = one.trigger
    const id = 'id' in one.trigger ? one.trigger.id : undefined
    const label = labelOf(one.trigger)
    const message = one.end === 'failed' ? one.message : ''
    const isFound = [one.runId, one.pipeline, label, message].some((part) =>
      part.toLowerCase().includes(String(text).toLowerCase()),
    )
    return [
      pipeline === undefined || one.pipeline === pipeline,
      !status || status.includes(statusOf(one)),
      trigger === undefined || trigger === kind || trigger === id,
      parent === undefined || (kind === 'run' && label === parent),
      text === undefined || isFound,
      one.at >= from && one.at < to,
      !partial || one.end === 'partial',
      error === undefined || (one.end === 'failed' && errorKey(errorOf(one.message)) === error),
    ].every(Boolean)
  }
  return newestFirst(lived).flatMap((one) => (shows(one) ? [one.runId] : []))
}

function labelOf(trigger: Lived['trigger']): string {
  if ('name' in trigger) return trigger.name
  if ('parent' in trigger) return trigger.parent
  return 'date' in trigger ? `${trigger.id} ${trigger.date}` : ''
}

function endsSince(lived: readonly Lived[], since: number) {
  const count = (status: RunRow['status']) =>
    lived.filter((one) => statusOf(one) === status && one.endedAt >= since).length
  return { succeeded: count('succeeded'), failed: count('failed'), cancelled: count('cancelled') }
}

function lastSuccess(lived: readonly Lived[], pipeline: string): string | undefined {
  return newestFirst(lived).find((one) => one.pipeline === pipeline && statusOf(one) === 'succeeded')?.runId
}
