import { pino } from 'pino'
import { createApiClient } from '../../src/adapter/create-api-client.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import { openLists } from '../../src/lists/open-lists.ts'
import { openNamed } from '../../src/platform/open-regular.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { freeClaims } from '../steps/support/free-claims.ts'
import { memoryMadeThings } from '../steps/support/memory-made-things.ts'
import { memoryStepMemory } from '../steps/support/memory-step-memory.ts'
import { turnClock } from '../support/turn-clock.ts'
import type { OtherService } from './other-service.ts'

/** The services of steps, for an Audience Data Service, with a new memory. `folder`: where lists are prepared. */
export function servicesAt({ url, token }: OtherService, folder: string): StepServices {
  const noRuns = () => Promise.reject(new Error('no step here starts runs'))
  const api = createApiClient({
    baseUrl: url,
    token: staticToken(token),
    clock: turnClock,
    random: () => 0.5,
    log: pino({ level: 'silent' }),
    redact: (text) => text,
  })
  return {
    ...{ api, stepMemory: memoryStepMemory(), profile: 'other', clock: turnClock },
    childRuns: { submit: noRuns, end: noRuns, cancelAll: noRuns },
    claims: freeClaims,
    made: memoryMadeThings(),
    openFile: openNamed,
    openUpload: openNamed,
    redact: (text: string) => text,
    lists: openLists({ folder, sources: {}, suppress: [] }),
    membership: { record: async () => undefined, compare: async () => undefined },
    post: fetch,
  }
}
