import { pino } from 'pino'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { createApiClient } from '../../src/adapter/create-api-client.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { redactThree } from './redact-three.ts'

/** The adapter as the command line makes it, but without limits. */
export function openApiClient(options: { url: string; token: string; concurrency?: number }): ApiClient {
  const { url, token, concurrency } = options
  return createApiClient({
    baseUrl: url,
    token: staticToken(token),
    clock: systemClock,
    random: Math.random,
    log: pino({ level: 'silent' }),
    redact: redactThree(),
    limits: concurrency === undefined ? {} : { concurrency },
  })
}
