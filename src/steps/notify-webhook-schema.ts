import type { ObjectSchema, Static } from '../core/json-schema.ts'

export const notifyWebhookInput = {
  type: 'object',
  required: ['url', 'text'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'Where to send it; what follows the host may be a secret.',
    },
    text: { type: 'string', description: 'The message, as `text` of the JSON that is sent.' },
    body: { type: 'object', description: 'More members of the JSON that is sent.' },
  },
} as const
export type NotifyWebhookInput = Static<typeof notifyWebhookInput>

export const notifyWebhookOutput = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'integer', description: 'The HTTP status of the answer.' } },
} as const satisfies ObjectSchema
