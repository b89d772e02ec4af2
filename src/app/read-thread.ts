import { Worker } from 'node:worker_threads'
import type { ConsoleDeps } from '../console/server/console-deps.ts'
import type { Beside, ViewId } from '../console/server/views/view.ts'
import { JsonText } from '../core/json.ts'
import { AskedThread } from '../platform/asked-thread.ts'
import type { ListReads } from '../state/state.ts'
import type { StatePlace } from '../state/with-readable-state.ts'

/** The answers of the thread that reads the state. */
export type ReadAnswers = ListReads & {
  readonly view: (id: ViewId, input: object, beside: Beside) => Promise<string>
}

/** Answers leave a lot of garbage. With this limit, V8 collects it sooner, which saves up to 2 MB. */
const YOUNG_MB = 6

/** Reads the state in a thread, because reads that take milliseconds would delay the other work of this process. */
export interface ReadThread extends Pick<ConsoleDeps, 'view'> {
  readonly lists: ListReads
  close(): Promise<void>
}

export function createReadThread(place: StatePlace): ReadThread {
  const options = { workerData: place, name: 'state reader', resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } }
  const thread = new AskedThread<ReadAnswers>(() => new Worker(program(), options))
  return {
    lists: {
      page: (filter) => thread.ask('page', filter),
      newestOf: (filter) => thread.ask('newestOf', filter),
      changedSince: (sequence, limit) => thread.ask('changedSince', sequence, limit),
      endedSince: (since) => thread.ask('endedSince', since),
      countsByHour: (filter) => thread.ask('countsByHour', filter),
      figures: (filter) => thread.ask('figures', filter),
    },
    view: async (id, input, beside = {}) => new JsonText(await thread.ask('view', id, input, beside)),
    close: () => thread.close(),
  }
}

/** In dist/, the program is a separate file beside main.js. Its extension is the same as this file's. */
function program(): URL {
  const isBundled = !import.meta.url.endsWith('/read-thread.ts')
  return new URL(isBundled ? '../read-worker.js' : './read-worker.ts', import.meta.url)
}
