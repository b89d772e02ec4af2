import { join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { AudienceError } from '../core/errors.ts'
import { type LocalService, openLocalService } from '../service/local/open-local-service.ts'
import type { Network } from '../service/network/network.ts'
import type { ServiceOptions } from '../service/start-service.ts'

/**
 * The embedded service of a folder: in this process, or in another process that already runs it. Its code is loaded
 * only if it runs here.
 */
export function openEmbeddedService(
  options: Pick<ServiceOptions, 'log' | 'clock' | 'port' | 'strict'> & {
    folder: string
    /** The network; the built-in one if absent. */
    network?: Network
  },
): Promise<LocalService> {
  const { folder, log, clock, strict = false } = options
  const host = async ({ port }: { port: number }) => {
    const { startService } = await import('../service/start-service.ts')
    const { defaultNetwork } = await import('../service/network/default-network.ts')
    const starting = startService({
      port: options.port ?? port,
      dataDir: embeddedData(folder),
      network: options.network ?? defaultNetwork,
      strict,
      clock,
      log,
    })
    const service = await starting.catch(explained(options.port ?? port))
    const { url, participantId, token, control } = service
    return { endpoint: { url, participantId, token, control }, close: () => service.close() }
  }
  return openLocalService(folder, host, clock)
}

/** The error for a port that is in use. The caller then tries another port, unless this one was requested. */
function explained(port: number): (error: unknown) => never {
  return (error) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error
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
