import { expect, test } from 'vitest'
import type { ApiAnswerOf } from '../../src/console/api/operations.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { overviewHandlers } from '../../src/console/server/handlers/show-overview.ts'
import type { RunFilter } from '../../src/state/run-history.ts'

const none = async () => []
const page = async () => ({ rows: [] })

/** The input of the overview: empty except for what is given. */
function depsWith(own: {
  readonly documents?: ReadonlyMap<string, unknown>
  readonly runs?: object
  readonly occurrences?: object
}): ConsoleDeps {
  return {
    clock: { now: () => 1 },
    documents: () => own.documents ?? new Map(),
    engine: { stuck: () => [] },
    notReady: none,
    problems: () => [],
    state: {
      occurrences: { summary: none, memories: none, ...own.occurrences },
      runs: {
        ...{ counts: async () => ({}), endedSince: async () => ({}), succeededInPart: async () => 0, page },
        ...{ failureGroups: none, blocked: none, unattended: none, waiting: none, partnerWaits: none },
        ...own.runs,
      },
    },
  } as unknown as ConsoleDeps
}

test('what is paused leaves out triggers that another daemon has', async () => {
  const documents = new Map([
    ['p', { pipeline: { name: 'p', triggers: [{ id: 'own' }], otherTriggers: [{ id: 'others' }, { id: 'more' }] } }],
  ])
  const paused = ['p/own', 'p/others', 'gone/own'].map((name) => {
    const [pipeline, trigger] = name.split('/')
    return { pipeline, trigger, pausedAt: 0 }
  })
  const deps = depsWith({ documents, occurrences: { memories: async () => paused } })
  expect(await overviewHandlers['overview.get'](deps)).toHaveProperty('paused', [
    { pipeline: 'p', trigger: 'own', since: new Date(0).toISOString() },
    { pipeline: 'gone', trigger: 'own', since: new Date(0).toISOString() },
  ])
})

test('of runs it has the first few of each kind, and no more are read', async () => {
  const row = { runId: 'r', pipeline: 'p', submittedAt: 1, finishedAt: 1 }
  // None of these runs waits, and each has a process.
  const many = async ({ limit, status, ownerless }: RunFilter) => ({
    rows: ownerless || status?.includes('waiting') ? [] : Array.from({ length: limit }, () => row),
  })
  const failureGroups = async ({ limit }: { readonly limit: number }) =>
    Array.from({ length: limit }, () => ({ run: row, failures: 2, firstAt: 1, lastAt: 1 }))
  const answer = await overviewHandlers['overview.get'](depsWith({ runs: { page: many, failureGroups } }))
  const { underWay, failures, partial, failureGroups: groups } = answer as ApiAnswerOf<'overview.get'>
  expect([underWay, failures, partial, groups].map(({ length }) => length)).toEqual([20, 5, 5, 50])
})
