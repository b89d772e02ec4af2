import { join } from 'node:path'
import type { Logger } from 'pino'
import { AudienceError } from '../core/errors.ts'
import { systemClock } from '../platform/clock.ts'
import { type LocalService, openLocalService } from '../service/local/open-local-service.ts'
import { defaultNetwork } from '../service/network/default-network.ts'
import type { Network } from '../service/network/network.ts'
import { startService } from '../service/start-service.ts'

/** The embedded service of a folder: in this process, or in another process that already runs it. */
export function openEmbeddedService(options: {
  readonly folder: string
  readonly log: Logger
  readonly port?: number
  /** The built-in one if absent. */
  readonly network?: Network
  /** Refuse unknown fields of requests (decision 13). */
  readonly strict?: boolean
}): Promise<LocalService> {
  const { folder, log, network = defaultNetwork, strict = false } = options
  return openLocalService(folder, async ({ port }) => {
    const service = await startOn(options.port ?? port, {
      dataDir: embeddedData(folder),
      network,
      strict,
      clock: systemClock,
      log,
    })
    const { url, participantId, token, control } = service
    return { endpoint: { url, participantId, token, control }, close: () => service.close() }
  })
}

/** If a requested port is in use, this is reported as an error; for any other port the caller chooses another. */
async function startOn(port: number, options: Omit<Parameters<typeof startService>[0], 'port'>) {
  try {
    return await startService({ ...options, port })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new AudienceError({
      code: 'port-in-use',
      kind: 'failed',
      message: `port ${port} is in use by another program`,
      hint: 'choose another with --port, or 0 for any that is free',
      cause: error,
    })
  }
}

/** The folder where the embedded service of a folder keeps its data. */
export function embeddedData(folder: string): string {
  return join(folder, 'data')
}
