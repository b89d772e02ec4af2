import type { Exchange } from '../../adapter/transport.ts'
import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import type { PeakMinute } from './live-order.ts'

/** No request takes longer than this, so an older minute gets no more requests. */
const LONGEST_MS = HOUR_MS

interface Minute extends PeakMinute {
  requests: number
  readonly operations: Record<string, number>
  readonly pipelines: Record<string, number>
}

/**
 * Finds the minute in which the most requests begin; if there are several, the first. It receives each request when
 * that request is over.
 */
export class BusiestMinute {
  /** The busiest minute, and the minutes that may get more requests. */
  readonly #minutes = new Map<number, Minute>()

  note = ({ operation, pipeline }: Pick<Exchange, 'operation' | 'pipeline'>, beganAt: number): void => {
    const at = Math.floor(beganAt / MINUTE_MS) * MINUTE_MS
    const minute = this.#minutes.get(at) ?? this.#open(at)
    minute.requests += 1
    add(minute.operations, operation)
    if (pipeline !== undefined) add(minute.pipelines, pipeline)
  }

  /** Undefined if there was no request. */
  get busiest(): PeakMinute | undefined {
    let best: Minute | undefined
    for (const minute of this.#minutes.values()) {
      const more = best ? minute.requests - best.requests || best.at - minute.at : 1
      if (more > 0) best = minute
    }
    return best
  }

  #open(at: number): Minute {
    const best = this.busiest?.at
    for (const one of this.#minutes.keys()) if (one !== best && one < at - LONGEST_MS) this.#minutes.delete(one)
    const minute = { at, requests: 0, operations: {}, pipelines: {} }
    this.#minutes.set(at, minute)
    return minute
  }
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
