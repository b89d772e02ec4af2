import { expect, test } from 'vitest'
import type { Call } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { showOverview } from '../../src/console/server/handlers/show-overview.ts'

const none = async () => []
const page = async () => ({ rows: [] })

test('what is paused leaves out triggers that another daemon has', async () => {
  const documents = new Map([
    ['p', { pipeline: { name: 'p', triggers: [{ id: 'own' }], otherTriggers: [{ id: 'others' }, { id: 'more' }] } }],
  ])
  const paused = ['p/own', 'p/others', 'gone/own'].map((name) => {
    const [pipeline, trigger] = name.split('/')
    return { pipeline, trigger, pausedAt: 0 }
  })
  const deps = {
    clock: { now: () => 1 },
    documents: () => documents,
    engine: { stuck: () => [] },
    notReady: none,
    problems: () => [],
    state: {
      occurrences: { summary: none, memories: async () => paused },
      runs: {
        ...{ counts: async () => ({}), endedSince: async () => ({}), succeededInPart: async () => 0, page },
        ...{ failureGroups: none, blocked: none, unattended: none, waiting: none, partnerWaits: none },
      },
    },
  } as unknown as ConsoleDeps
  expect(await showOverview(deps, {}, {} as Call)).toHaveProperty('paused', [
    { pipeline: 'p', trigger: 'own', since: new Date(0).toISOString() },
    { pipeline: 'gone', trigger: 'own', since: new Date(0).toISOString() },
  ])
})
