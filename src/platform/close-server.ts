import type { Server } from 'node:http'

const CLOSE_WITHIN_MS = 1000

/** Closes a server within a second: connections that are still open then are cut off. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
    server.close(() => {
      clearTimeout(impatient)
      resolve()
    })
  })
}
