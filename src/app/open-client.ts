import type { ApiClient } from '../adapter/api-client.ts'
import { createApiClient } from '../adapter/create-api-client.ts'
import type { Exchange } from '../adapter/transport.ts'
import { openTarget, type TargetDeps } from './open-target.ts'

/** A client of the profile's service; `close` closes the client, and the service if it runs in this process. */
export interface Client {
  readonly api: ApiClient
  /** Rejects if the service cannot be reached or refuses access. Reads the shortest list. */
  reach(): Promise<void>
  close(): Promise<void>
}

export interface ClientDeps extends TargetDeps {
  /** Called after every request to the service has ended. */
  onExchange?: (exchange: Exchange) => void
}

export async function openClient(deps: ClientDeps): Promise<Client> {
  const target = await openTarget(deps)
  const api = createApiClient({
    baseUrl: target.baseUrl,
    token: target.token,
    ...deps.surroundings,
    log: deps.log,
    redact: (text) => deps.secrets.redact(text),
    limits: deps.settings.profile.limits ?? {},
    paths: deps.settings.profile.paths ?? {},
    proxies: target.proxies,
    onExchange: deps.onExchange,
  })
  return {
    api,
    async reach() {
      // A list whose path the contract defines; the lists of groups and partners can have other paths (decision 115).
      await api.segments.list({ pageSize: 10 })
    },
    async close() {
      await api.close()
      await target.close()
    },
  }
}
