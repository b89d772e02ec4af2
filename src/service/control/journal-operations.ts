import { operations } from '../../contract/operations.ts'
import { controlOperation, noInput, timeText } from './control-operation.ts'
import { JOURNAL_LENGTH } from './request-journal.ts'

export const journalOperations = {
  'requests.list': controlOperation({
    method: 'GET',
    path: '/requests',
    summary: 'List the last requests to the API, newest first.',
    description: `The last ${JOURNAL_LENGTH} are kept in memory, without tokens and bodies; requests to the control API are not among them.`,
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        operation: { type: 'string', enum: Object.keys(operations), description: 'Only requests of this operation.' },
        participant: { type: 'integer', minimum: 1, description: 'Only requests to this participant’s address.' },
        limit: { type: 'integer', minimum: 1, maximum: JOURNAL_LENGTH, description: 'At most this many; default 100.' },
      },
    },
    answer:
      '`requests`, each with `at`, `participant`, `operation`, `method`, `path`, `query`, `status` (null: no answer), `durationMs`, `requestId`, `bodyBytes` and the `fault` that was applied',
    handle: ({ journal }, { limit = 100, ...filter }) => ({
      requests: journal.list(filter, limit).map((entry) => ({
        ...entry,
        at: timeText(entry.at),
        participant: entry.participant ?? null,
        operation: entry.operation ?? null,
        status: entry.status ?? null,
        bodyBytes: entry.bodyBytes ?? null,
        fault: entry.fault ?? null,
      })),
    }),
  }),

  'requests.clear': controlOperation({
    method: 'DELETE',
    path: '/requests',
    summary: 'Empty the request journal.',
    input: noInput,
    answer: '`done`: `clear`',
    handle({ journal }) {
      journal.clear()
      return { done: 'clear' }
    },
  }),
}
