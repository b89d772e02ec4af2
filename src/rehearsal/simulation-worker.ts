import { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { liveDays } from './simulation/live-days.ts'
import type { LiveOrder } from './simulation/live-order.ts'

/* The process of a simulation; see test-worker.ts for why it has nothing else open. */

const tell = (report: object) => void process.send?.(report)
try {
  await liveDays(JSON.parse(process.argv[2] ?? '') as LiveOrder, tell)
  tell({ ended: true })
} catch (error) {
  const { message, hint } = error instanceof AudienceError ? error : { message: stackOf(error), hint: undefined }
  tell({ broken: { message, hint } })
}
process.disconnect()
process.exit()

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
}
