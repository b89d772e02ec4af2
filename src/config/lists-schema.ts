import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { duration, size } from './schema-parts.ts'

/** What lists may take of this machine. */
export const lists = {
  type: 'object',
  additionalProperties: false,
  description: 'What files.prepare may take of this machine for a list. What takes more is the error of its step.',
  properties: {
    memory: size(
      'Memory of the process that reads the rows and runs sql: at least 256MB. The system ends it beyond that. Default: 1GB.',
    ),
    timeout: duration('Time for one list, from its turn on. Default: 30m.'),
    atOnce: {
      type: 'integer',
      minimum: 1,
      maximum: 64,
      description:
        'How many lists are worked on at the same time, each with its memory; others wait for their turn. One run has at most one less than that, so that its slow lists hold up no other run. Default: as many as fit into half of the memory of this machine, from 2 to 4.',
    },
    maxUnpacked: size('How much the compressed files of one list may become. Default: 10GB.'),
    maxRatio: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'How many times its own size a compressed file may become; 100 MB are always allowed. Default: 200.',
    },
  },
} as const satisfies ObjectSchema

export type ListsConfig = Static<typeof lists>
