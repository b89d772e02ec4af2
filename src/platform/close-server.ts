import type { Server } from 'node:http'
import type { SteadyClock } from '../core/clock.ts'

const CLOSE_WITHIN_MS = 1000

/** Closes a server within a second. After that, connections that are still open are cut off. */
export function closeServer(server: Server, clock: Pick<SteadyClock, 'timer'>): Promise<void> {
  return new Promise((resolve) => {
    const impatient = clock.timer(CLOSE_WITHIN_MS, () => server.closeAllConnections())
    server.close(() => {
      impatient.cancel()
      resolve()
    })
  })
}
