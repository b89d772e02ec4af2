import { type ApiClient, createApiClient } from '../adapter/api-client.ts'
import type { Exchange } from '../adapter/transport.ts'
import { systemClock } from '../platform/clock.ts'
import { openTarget, type TargetMeans } from './open-target.ts'

/** A client of the profile's service; `close` closes the client, and the service if it runs in this process. */
export interface Client {
  readonly api: ApiClient
  close(): Promise<void>
}

export interface ClientMeans extends TargetMeans {
  /** Called after every request to the service has ended. */
  readonly onExchange?: (exchange: Exchange) => void
}

export async function openClient(means: ClientMeans): Promise<Client> {
  const target = await openTarget(means)
  const api = createApiClient({
    baseUrl: target.baseUrl,
    token: target.token,
    clock: systemClock,
    random: Math.random,
    log: means.log,
    limits: means.settings.profile.limits ?? {},
    paths: means.settings.profile.paths ?? {},
    ...(means.onExchange && { onExchange: means.onExchange }),
  })
  return {
    api,
    async close() {
      await api.close()
      await target.close()
    },
  }
}
