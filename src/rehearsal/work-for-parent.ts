import { once } from 'node:events'
import { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import type { ProcessReport } from './world-process.ts'

/** One in this many idle moments is reported to the parent. */
const TOLD = 1_000

/**
 * Does the work of a process in a world. The time of the world moves when Node has nothing to wait for, so nothing else
 * may be open. What `work` finds is sent to the parent; the parent sends only one order. The parent also hears how time
 * passes.
 */
export async function workForParent<Order, Found>(
  work: (order: Order, tell: (found: Found) => void) => Promise<void>,
): Promise<never> {
  const tell = (report: ProcessReport<Found>) => void process.send?.(report)
  let moments = 0
  process.on('beforeExit', () => {
    moments += 1
    if (moments % TOLD === 0) tell({ moments })
  })
  try {
    // Once its only listener has gone, the channel to the parent no longer keeps the process busy.
    const [order] = (await once(process, 'message')) as [Order]
    await work(order, (found) => tell({ found }))
    tell({ ended: true })
  } catch (error) {
    const { message, hint } = error instanceof AudienceError ? error : { message: stackOf(error), hint: undefined }
    tell({ broken: { message, hint } })
  }
  process.disconnect()
  process.exit()
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
}
