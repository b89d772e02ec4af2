import { expect, test } from 'vitest'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { slotHandlers } from '../../src/console/server/handlers/list-slots.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import type { ListedOccurrence, OccurrenceFilter } from '../../src/state/occurrence-store.ts'
import { stepTypes } from '../pipeline/step-types.ts'

/** A daemon without documents, whose state has this many slots and files. */
function depsWith(count: number) {
  const all = Array.from({ length: count }, (_, at) => ({
    ...{ pipeline: 'p', trigger: 't', key: `${at}`, at, state: 'skipped' },
    detail: { name: `${at}.csv` },
  })) as unknown as ListedOccurrence[]
  const occurrences = {
    memories: async () => [],
    summary: async () => [],
    triggersDue: async () => [],
    list: async ({ limit, kind }: OccurrenceFilter) => (kind === 'set' ? [] : all.slice(0, limit)),
  }
  const clock = { now: () => 0 }
  return { state: { occurrences }, clock, documents: () => new Map() } as unknown as ConsoleDeps
}

const CONTEXT = { turn: async () => undefined } as unknown as ApiCall

test.each([
  [100, {}, 100, false],
  [101, {}, 100, true],
  [3, { limit: 3 }, 3, false],
  [4, { limit: 3 }, 3, true],
])(
  'of %i slots or files, %j are asked for: %i are listed, and there are older ones: %s',
  async (count, input, listed, hasOlder) => {
    const all = Array.from({ length: listed }, () => expect.anything())
    expect(await slotHandlers['slots.list'](depsWith(count), input, CONTEXT)).toMatchObject({ slots: all, hasOlder })
    expect(await slotHandlers['files.list'](depsWith(count), input)).toMatchObject({ files: all, hasOlder })
  },
)

test('the documents are asked when it is this request’s turn', async () => {
  const turn = Promise.withResolvers<void>()
  let asked = 0
  const deps: ConsoleDeps = {
    ...depsWith(1),
    documents: () => {
      asked += 1
      return new Map()
    },
  }
  const listed = slotHandlers['slots.list'](deps, {}, { turn: () => turn.promise } as unknown as ApiCall)
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
  expect(asked).toBe(0)
  turn.resolve()
  await listed
  expect(asked).toBeGreaterThan(0)
})

test('what comes after other pipelines says what it waits for, and its sets are among the slots', async () => {
  const text = `version: 1
name: next
triggers: [{ id: both, after: { pipelines: [a, b], within: 1h } }]
steps: [{ id: list, uses: groups.list }]
`
  const { pipeline } = loadPipeline({ text, file: '/p/next.yaml', stepTypes })
  if (!pipeline) throw new Error('the document is not valid')
  const ref = { pipeline: 'next', trigger: 'both' }
  const set = { ...ref, key: 'runs r0+r1', at: 5, state: 'ran', outcome: 'succeeded', runId: 'r2' } as const
  const end = {
    runId: 'r3',
    pipeline: 'a',
    at: 7,
    status: 'succeeded',
    isOurs: true,
    origin: 'r3',
    startedBy: 'manual',
  }
  const deps = {
    state: {
      occurrences: {
        memories: async () => [],
        summary: async () => [],
        triggersDue: async () => [],
        list: async ({ kind }: OccurrenceFilter) => (kind === 'slot' ? [] : [set]),
      },
      ends: { open: async () => [{ ...end, occurrence: undefined, isCounted: false }], taken: async () => [] },
    },
    clock: { now: () => 9 },
    documents: () => new Map([['next', { pipeline, folder: '/p', file: '/p/next.yaml' }]]),
  } as unknown as ConsoleDeps
  const answer = await slotHandlers['slots.list'](deps, {}, CONTEXT)
  expect(answer).toHaveProperty('after', [
    {
      ...{ ...ref, after: ['a', 'b'], on: 'success', due: 0, pausedSince: undefined },
      waiting: [{ runs: [{ pipeline: 'a', runId: 'r3' }], lacking: ['b'], until: new Date(3_600_007).toISOString() }],
      last: expect.objectContaining({ key: 'runs r0+r1', outcome: 'succeeded', runId: 'r2' }),
    },
  ])
  expect(answer).toMatchObject({ slots: [{ ...ref, key: 'runs r0+r1', runId: 'r2' }] })
})
