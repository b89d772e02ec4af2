import { workerData } from 'node:worker_threads'
import { writeView } from '../console/server/views/index.ts'
import { recentDocument, recentRuns } from '../console/server/views/recent-runs.ts'
import type { ViewDeps } from '../console/server/views/view.ts'
import { answerAsked } from '../platform/asked-thread.ts'
import type { ReadableState } from '../state/state.ts'
import { openForReads, type StatePlace } from '../state/with-readable-state.ts'
import type { ReadAnswers } from './read-thread.ts'
import { systemSurroundings } from './surroundings.ts'

const readRecent = recentRuns()
let opened: Promise<ReadableState> | undefined

async function runs(): Promise<ReadableState['runs']> {
  // If the state cannot be opened, as during an outage of the database, the next question tries again.
  opened ??= openForReads(workerData as StatePlace, systemSurroundings).catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return (await opened).runs
}

let loaded: ReturnType<ViewDeps['reader']> | undefined

const reader: ViewDeps['reader'] = () => {
  loaded ??= loadReader()
  return loaded
}

async function loadReader() {
  const { readPipeline } = await import('../daemon/documents/read-pipeline.ts')
  const { stepTypes } = await import('../steps/index.ts')
  return { readPipeline: recentDocument(readPipeline), stepTypes }
}

answerAsked({
  page: async (filter) => (await runs()).page(filter),
  newestOf: async (filter) => (await runs()).newestOf(filter),
  changedSince: async (sequence, limit) => (await runs()).changedSince(sequence, limit),
  endedSince: async (since) => (await runs()).endedSince(since),
  countsByHour: async (filter) => (await runs()).countsByHour(filter),
  figures: async (filter) => (await runs()).figures(filter),
  async view(id, input, beside) {
    const history = await runs()
    return writeView(id, input, { runs: history, readRun: (runId) => readRecent(history, runId), reader }, beside)
  },
} satisfies ReadAnswers)
