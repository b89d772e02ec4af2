import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { count } from '../../core/format/figures.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { isoTime } from '../../core/iso-time.ts'
import { isSameDocuments, isSameProblems } from '../../daemon/documents/live-documents.ts'
import type { RunHistory } from '../../state/run-history.ts'
import type { StreamEvents } from '../api/events.ts'
import { ApiFailure } from './api-failure.ts'
import type { ConsoleDeps } from './console-deps.ts'
import { toRunItem } from './run-item.ts'
import { openRunStream, type RunStreamFrom, textOfEvent } from './run-stream.ts'
import { apiJson } from './send-answer.ts'
import type { OpenSession } from './sessions.ts'

/** The streams of changes that browsers and programs follow. */
export interface EventStreams {
  /** Answers a request with a stream. Throws a failure with status 503 if there are too many. */
  open(request: IncomingMessage, response: ServerResponse, session: OpenSession | undefined): void
  /** Sends the events of one run; 204 if there are no more. Throws the errors of `open` and `openRunStream`. */
  openRun(request: IncomingMessage, response: ServerResponse, of: OfRun): Promise<void>
  /** Follows the steps of a run from now on, because somebody is looking at it. Any process may work on the run. */
  lookedAt(runId: string): void
  /** Ends the streams whose session has ended. */
  dropEnded(): void
  close(): void
}

interface OfRun extends RunStreamFrom {
  readonly session: OpenSession | undefined
}

const LOOK_EVERY_MS = 250
const BEAT_EVERY_MS = 15_000
const MOST_STREAMS = 64
/** A reader that is this far behind is disconnected. It reconnects and reads everything again. */
const MOST_UNSENT_BYTES = 1_000_000
const MOST_ROWS = 500

/** While there are readers, looks for changes to the state a few times a second, once for all readers. */
export function createEventStreams(
  deps: ConsoleDeps,
  sessions: { isOpen: (session: OpenSession) => boolean; refresh: () => Promise<void> },
): EventStreams {
  const { state, engine, clock, version, log } = deps
  const instance = randomUUID()
  const streams = new Map<ServerResponse, OpenSession | undefined>()
  /** The streams that receive all changes. */
  const readers = new Set<ServerResponse>()
  const inSight = runsInSight(state.runs)
  let following: { readonly stop: AbortController; readonly hasBegun: Promise<void> } | undefined

  function send<Name extends keyof StreamEvents>(
    name: Name,
    value: StreamEvents[Name],
    to: Iterable<ServerResponse>,
  ): void {
    const text = textOfEvent(name, deps.redact(apiJson(value)))
    for (const response of to) {
      if (response.writableLength > MOST_UNSENT_BYTES) response.destroy()
      else response.write(text)
    }
  }

  async function follow(signal: AbortSignal, begun: () => void): Promise<void> {
    const moved = new Set<string>()
    const unwatch = engine.watch(({ runId }) => moved.add(runId))
    let documents = deps.documents()
    let problems = deps.problems()
    let beatAt = clock.steady() + BEAT_EVERY_MS
    try {
      let sequence = await state.runs.lastChange()
      begun()
      while (!signal.aborted) {
        await sessions.refresh()
        dropEnded()
        // While nothing changes, the thread that reads the rows gets no work, so that it can end.
        const hasChanged = (await state.runs.lastChange()) > sequence
        const changes = hasChanged ? await state.runs.changedSince(sequence, MOST_ROWS) : { rows: [], sequence }
        sequence = changes.sequence
        if (changes.rows.length > 0) send('runs', { runs: changes.rows.map(toRunItem) }, readers)
        if (deps.sharing) for (const runId of await inSight.moved()) moved.add(runId)
        if (moved.size > 0) send('steps', { runIds: [...moved] }, readers)
        moved.clear()
        const now = deps.documents()
        const wrong = deps.problems()
        if (!isSameDocuments(documents, now) || !isSameProblems(problems, wrong)) {
          documents = now
          problems = wrong
          send('pipelines', { count: documents.size }, readers)
        }
        if (clock.steady() >= beatAt) {
          beatAt = clock.steady() + BEAT_EVERY_MS
          send('beat', { at: isoTime(clock.now()) }, readers)
        }
        if (changes.rows.length < MOST_ROWS) await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
      }
    } finally {
      unwatch()
    }
  }

  function begin(): NonNullable<typeof following> {
    const stop = new AbortController()
    const { promise: hasBegun, resolve } = Promise.withResolvers<void>()
    const own = { stop, hasBegun }
    follow(stop.signal, resolve).catch((error: unknown) => {
      // Readers reconnect and read everything again.
      if (!isStateAway(error)) log.warn({ err: error }, 'the changes to the state could not be read for the console')
      if (following === own) end()
    })
    return own
  }

  function dropEnded(): void {
    for (const [response, session] of streams) if (session && !sessions.isOpen(session)) response.destroy()
  }

  function end(): void {
    following?.stop.abort()
    following = undefined
    for (const response of readers) response.destroy()
    readers.clear()
  }

  function accept(request: IncomingMessage, response: ServerResponse, session: OpenSession | undefined): void {
    if (streams.size >= MOST_STREAMS)
      throw new ApiFailure(503, 'too-many-streams', `there are already ${count(MOST_STREAMS, 'stream')}`)
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Otherwise a proxy that buffers responses would pass nothing on.
      'x-accel-buffering': 'no',
    })
    request.socket.setNoDelay(true)
    streams.set(response, session)
    response.on('close', () => streams.delete(response))
  }

  return {
    open(request, response, session) {
      accept(request, response, session)
      readers.add(response)
      following ??= begin()
      // After hello, a client reads its lists. If the server sent hello before it began to follow changes, the changes
      // in between would be lost.
      following.hasBegun.then(() => {
        if (readers.has(response)) send('hello', { instance, version, at: isoTime(clock.now()) }, [response])
      })
      response.on('close', () => {
        readers.delete(response)
        if (readers.size === 0) end()
      })
    },
    async openRun(request, response, { session, ...from }) {
      const stream = await openRunStream(from, deps)
      if (stream.isOver) return void response.writeHead(204, { 'cache-control': 'no-store' }).end()
      accept(request, response, session)
      if (request.method === 'HEAD') return void response.end()
      const beforeLook = async () => {
        await sessions.refresh()
        dropEnded()
      }
      stream.sendTo(response, beforeLook).catch((error: unknown) => {
        // The reader connects again and continues after the last event that it received.
        if (!isStateAway(error)) log.warn({ err: error }, 'the events of a run could not be read for the console')
        response.destroy()
      })
    },
    lookedAt: inSight.add,
    dropEnded,
    close() {
      end()
      for (const response of streams.keys()) response.destroy()
    },
  }
}

/** If people are looking at more runs, only those that were looked at most recently are followed. */
const MOST_RUNS = 50
/** The position before the first record. */
const NOTHING = -1

/** The runs that people look at. Another process may work on them, so only their records show that a step has moved. */
export function runsInSight(runs: Pick<RunHistory, 'records'>) {
  /** The newest known record of each run. */
  const lastOf = new Map<string, number>()

  /** Whether a run has new records. A run that has ended or is unknown has none, and is forgotten. */
  async function hasMoved(runId: string, last: number): Promise<boolean> {
    const newest = (await runs.records(runId, last)).at(-1)
    const hasEnded = newest?.record.type === 'run.finished'
    if (hasEnded || (last === NOTHING && !newest)) lastOf.delete(runId)
    else if (newest && lastOf.has(runId)) lastOf.set(runId, newest.seq)
    return newest !== undefined && !(hasEnded && last === NOTHING)
  }

  return {
    /** Follows a run until it ends. */
    add(runId: string): void {
      const last = lastOf.get(runId) ?? NOTHING
      lastOf.delete(runId)
      lastOf.set(runId, last)
      const [oldest] = lastOf.keys()
      if (lastOf.size > MOST_RUNS && oldest !== undefined) lastOf.delete(oldest)
    },
    /** Returns the runs that have new records since the last call, and the runs that were added since. */
    async moved(): Promise<string[]> {
      const looks = [...lastOf].map(async ([runId, last]) => ((await hasMoved(runId, last)) ? [runId] : []))
      return (await Promise.all(looks)).flat()
    },
  }
}
