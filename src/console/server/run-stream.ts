import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { SteadyClock } from '../../core/clock.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { StoredRecord } from '../../core/run.ts'
import { createRecordTeller } from '../../runs/record-teller.ts'
import type { RunHistory } from '../../state/run-history.ts'
import { apiJson } from './send-answer.ts'

/** Which run a stream is about, and which of its events the stream sends. */
export interface RunStreamFrom {
  readonly runId: string
  /** Only events after this record; -1 means all events. */
  readonly after: number
  /** Whether the stream continues until the run has ended. */
  readonly follow: boolean
}

/** The events of one run, for one reader. */
export interface RunStream {
  /** Whether the run has ended and no event is left. */
  readonly isOver: boolean
  /**
   * Sends events until the last one, or until the reader has disconnected. `beforeLook` is called a few times a second.
   */
  sendTo(response: ServerResponse, beforeLook: () => Promise<void>): Promise<void>
}

const LOOK_EVERY_MS = 250
const BEAT_EVERY_MS = 15_000
/** A reader that accepts nothing for this long is disconnected. It reconnects and continues after its last event. */
const PATIENCE_MS = 60_000
/** How many events are read and sent in one turn of the event loop. */
const MOST_AT_ONCE = 100

/**
 * Opens the stream of a run. Throws `unknown-run`, or InvalidDocumentError if this version cannot read the document of
 * the run.
 */
export async function openRunStream(
  { runId, after, follow }: RunStreamFrom,
  deps: Parameters<typeof createRecordTeller>[2] & {
    state: { runs: Pick<RunHistory, 'records'> }
    clock: SteadyClock
    redact: (text: string) => string
  },
): Promise<RunStream> {
  const { clock, redact } = deps
  const { runs } = deps.state
  const recorded = await runs.records(runId)
  const teller = createRecordTeller(runId, recorded, deps)
  teller.tell(recorded.filter(({ seq }) => seq <= after))
  const first = recorded.filter(({ seq }) => seq > after)

  const textOf = (stored: StoredRecord) =>
    teller.tell([stored]).map((event) => textOfEvent(event.event, redact(apiJson(event)), stored.seq))

  return {
    isOver: teller.hasEnded && first.length === 0,
    async sendTo(response, beforeLook) {
      const gone = new AbortController()
      response.on('close', () => gone.abort())
      const send = async (text: string) => {
        if (response.write(text)) return
        const taken = new AbortController()
        const signal = AbortSignal.any([gone.signal, taken.signal])
        await Promise.race([once(response, 'drain', { signal }), clock.sleep(PATIENCE_MS, signal)]).catch(
          () => undefined,
        )
        taken.abort()
        if (response.writableNeedDrain) response.destroy()
      }
      // Tells the reader immediately that it is connected.
      response.flushHeaders()
      let beatAt = clock.steady() + BEAT_EVERY_MS
      for (
        let records: readonly StoredRecord[] = first;
        !gone.signal.aborted;
        records = await runs.records(runId, teller.nextSeq - 1)
      ) {
        for (let at = 0; at < records.length && !gone.signal.aborted; at += MOST_AT_ONCE) {
          const texts = records.slice(at, at + MOST_AT_ONCE).flatMap(textOf)
          await send(texts.join(''))
          await setImmediate()
        }
        if (teller.hasEnded || !follow) return void response.end()
        if (clock.steady() >= beatAt) {
          beatAt = clock.steady() + BEAT_EVERY_MS
          await send(textOfEvent('beat', apiJson({ at: isoTime(clock.now()) })))
        }
        await clock.sleep(LOOK_EVERY_MS, gone.signal).catch(() => undefined)
        await beforeLook()
      }
    },
  }
}

/** The text of an event in a stream. A reader that connects again names the last `id` that it received. */
export function textOfEvent(name: string, json: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}
