import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemClock } from './clock.ts'
import { type LocalService, openLocalService } from './service/local/open-local-service.ts'
import { defaultNetwork } from './service/network/default-network.ts'
import type { Network } from './service/network/network.ts'
import { startService } from './service/start-service.ts'

/** The embedded service of a folder: in this process, or another process's that runs it already. */
export function openEmbeddedService(options: {
  readonly folder: string
  readonly log: Logger
  readonly port?: number
  /** The built-in one where it is not given. */
  readonly network?: Network
  /** Refuse unknown fields of requests (decision 13). */
  readonly strict?: boolean
}): Promise<LocalService> {
  const { folder, log, network = defaultNetwork, strict = false } = options
  return openLocalService(folder, async ({ port }) => {
    const service = await startService({
      dataDir: embeddedData(folder),
      network,
      strict,
      port: options.port ?? port,
      clock: systemClock,
      log,
    })
    const { url, participantId, token, control } = service
    return { endpoint: { url, participantId, token, control }, close: () => service.close() }
  })
}

/** Where the embedded service of a folder keeps what it knows. */
export function embeddedData(folder: string): string {
  return join(folder, 'data')
}
