import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { type NotifyRule, notifyRuleProperties } from '../core/notify-rule.ts'
import { text } from './schema-parts.ts'

/** An address such as `data-team@example.com`, without a name. */
export const ADDRESS_PATTERN = '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$'

/** Where notifications can be sent. */
const channel = {
  type: 'object',
  additionalProperties: false,
  description: 'A way to send messages: either a web hook or e-mail.',
  properties: {
    webhook: {
      type: 'object',
      additionalProperties: false,
      description: 'Messages are sent with POST, as JSON. It needs url or urlEnv.',
      properties: {
        url: text('The address itself. Everybody who knows it can write there; better: urlEnv.'),
        urlEnv: text('Name of the environment variable with the address.'),
        format: {
          enum: ['json', 'slack', 'teams'],
          description: 'What the receiver understands. Default: json, which docs/notify.md describes.',
        },
      },
    },
    email: {
      type: 'object',
      additionalProperties: false,
      required: ['to'],
      description: 'Messages are sent through the server of `smtp`.',
      properties: {
        to: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: { type: 'string', pattern: ADDRESS_PATTERN },
          description: 'Who gets them.',
        },
      },
    },
  },
} as const satisfies ObjectSchema

/** The server that sends e-mail. */
export const smtp = {
  type: 'object',
  additionalProperties: false,
  required: ['host', 'from'],
  description: 'The server that e-mail is sent through.',
  properties: {
    host: text('Its name or address.'),
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65535,
      description: 'Its port. Default: 587 with starttls, 465 with tls, 25 with none.',
    },
    security: {
      enum: ['starttls', 'tls', 'none'],
      description:
        'starttls: the connection is upgraded, and closed if the server cannot. tls: encrypted from the start. none: for a server on the same machine. Default: starttls.',
    },
    caFile: text('Path of a file with the certificate to trust, in PEM, where the server has one of your own.'),
    user: text('User name; without it there is no login.'),
    passwordEnv: text('Name of the environment variable with the password.'),
    from: { type: 'string', pattern: ADDRESS_PATTERN, description: 'The sender of the messages.' },
  },
} as const satisfies ObjectSchema

/** Who is notified, and how. */
export const notify = {
  type: 'object',
  additionalProperties: false,
  required: ['channels'],
  description:
    'Who audience start tells of runs that triggers started. `to` and `on` hold for every pipeline whose document does not say otherwise: without `to` all channels, without `on` everything.',
  properties: {
    channels: {
      type: 'object',
      minProperties: 1,
      additionalProperties: channel,
      description: 'Ways to send messages, by name.',
    },
    ...notifyRuleProperties,
  },
} as const satisfies ObjectSchema

export interface NotifyConfig extends NotifyRule {
  readonly channels: Readonly<Record<string, ChannelConfig>>
}
export type ChannelConfig = Static<typeof channel>
export type SmtpConfig = Static<typeof smtp>
