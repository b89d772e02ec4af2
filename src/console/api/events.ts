import { list, object, text, time, type ValueOf, wholeNumber } from '../../core/json-schema.ts'
import { runItem } from './run-schemas.ts'

export const EVENTS_PATH = '/events'

/** The events of the stream `events`, by name. */
export const streamEvents = {
  hello: object(['instance', 'version', 'at'], {
    instance: text(
      'A text that is different after each start of the server. After a start, everything that was read before may have changed.',
    ),
    version: text('The version of audience.'),
    at: time('The time of the server.'),
  }),
  runs: object(['runs'], { runs: list(runItem, 'Runs that were added, or whose status changed.') }),
  steps: object(['runIds'], { runIds: list(text('The id of a run.'), 'Runs whose steps have changed.') }),
  pipelines: object(['count'], {
    count: wholeNumber('How many pipelines there are now. Sent after documents have changed.'),
  }),
  beat: object(['at'], { at: time('The time of the server.') }),
} as const

export type StreamEvents = { readonly [Name in keyof typeof streamEvents]: ValueOf<(typeof streamEvents)[Name]> }
