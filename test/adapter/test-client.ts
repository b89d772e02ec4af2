import { pino } from 'pino'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { type ApiClientSettings, createApiClient } from '../../src/adapter/create-api-client.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import { fakeClock } from './fake-clock.ts'

export const TOKEN = 'secret-token-0001'

export interface TestClient extends AsyncDisposable {
  readonly api: ApiClient
  /** All log lines, parsed. */
  readonly logs: Record<string, unknown>[]
}

/** A client with a fake clock and the longest jitter. */
export function testClient(
  baseUrl: string,
  options: Partial<Omit<ApiClientSettings, 'baseUrl' | 'log'>> = {},
): TestClient {
  const secrets = createSecrets()
  secrets.add(TOKEN)
  const logs: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => logs.push(JSON.parse(line)) })
  const api = createApiClient({
    baseUrl,
    token: staticToken(TOKEN),
    clock: fakeClock(),
    random: () => 0.5,
    log,
    redact: secrets.redact,
    ...options,
  })
  return { api, logs, [Symbol.asyncDispose]: () => api.close() }
}
