import { count, list, object, text, time } from '../../core/schema-parts.ts'
import type { Answer } from './api-operation.ts'
import { runItem } from './run-schemas.ts'

/** The events of the stream `events`, by name. */
export const streamEvents = {
  hello: object(['instance', 'version', 'at'], {
    instance: text('Differs after each start: whatever was read before may have changed.'),
    version: text('The version of audience.'),
    at: time('The time there.'),
  }),
  runs: object(['runs'], { runs: list(runItem, 'Runs that were added, or whose status changed.') }),
  steps: object(['runIds'], { runIds: list(text('The id of a run.'), 'Runs of this process whose steps went on.') }),
  pipelines: object(['count'], { count: count('How many pipelines there are, after documents changed.') }),
  beat: object(['at'], { at: time('The time there.') }),
} as const

export type StreamEvents = { readonly [Name in keyof typeof streamEvents]: Answer<(typeof streamEvents)[Name]> }
