import { didYouMean } from '../core/did-you-mean.ts'
import { exactObject, integer, limitedList, matching, type Static, type ValueOf } from '../core/json-schema.ts'
import { type NotifyRules, notifyRuleProperties, SEVERITIES } from '../core/notify-rule.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { isTimeZone } from '../expressions/time-zone.ts'
import { durationOf, durationSetting, nonEmptyText } from './schema-parts.ts'

/** An address such as `data-team@example.com`, without a name. */
export const ADDRESS_PATTERN = '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$'

/** Where notifications can be sent. */
const channel = exactObject({
  description: 'A way to send messages: a web hook, e-mail or PagerDuty.',
  properties: {
    webhook: exactObject({
      description: 'Messages are sent with POST, as JSON. It needs url or urlEnv.',
      properties: {
        url: nonEmptyText('The address itself. Everybody who knows it can post there. Better: urlEnv.'),
        urlEnv: nonEmptyText('Name of the environment variable with the address.'),
        format: {
          enum: ['json', 'slack', 'teams'],
          description: 'The format that the receiver understands. Default: json, which docs/notify.md describes.',
        },
        secretEnv: limitedList(
          { minItems: 1, maxItems: 5 },
          { type: 'string', minLength: 1 },
          'Names of the environment variables with the secrets that each message is signed with, as Standard Webhooks specifies. While you change a secret, name both the new one and the old one.',
        ),
        headersEnv: {
          type: 'object',
          maxProperties: 20,
          propertyNames: { pattern: '^[A-Za-z0-9-]+$' },
          additionalProperties: { type: 'string', minLength: 1 },
          description:
            'Headers of each request: for each header, its name and the environment variable with its value.',
        },
      },
    }),
    email: exactObject({
      required: ['to'],
      description: 'Messages are sent through the server of `smtp`.',
      properties: {
        to: limitedList(
          { minItems: 1, maxItems: 100 },
          { type: 'string', pattern: ADDRESS_PATTERN },
          'Who gets the messages.',
        ),
      },
    }),
    pagerduty: exactObject({
      required: ['keyEnv'],
      description:
        'PagerDuty alerts (Events API v2): one for each pipeline and event. A recovery closes the alert about failures; the last answer closes the alert about questions.',
      properties: {
        keyEnv: nonEmptyText('Name of the environment variable with the integration key of a service.'),
        url: nonEmptyText(
          'The address of the API. Default: the address in the US; in Europe it is https://events.eu.pagerduty.com/v2/enqueue.',
        ),
      },
    }),
  },
})

const KINDS = Object.keys(channel.properties)

/** The server that sends e-mail. */
export const smtp = exactObject({
  required: ['host', 'from'],
  description: 'The server that sends e-mail.',
  properties: {
    host: nonEmptyText('Its name or address.'),
    port: integer({ minimum: 1, maximum: 65535 }, 'Its port. Default: 587 with starttls, 465 with tls, 25 with none.'),
    security: {
      enum: ['starttls', 'tls', 'none'],
      description:
        'starttls: the connection is upgraded; if the server cannot do that, the connection is closed. tls: encrypted from the start. none: for a server on the same machine. Default: starttls.',
    },
    caFile: nonEmptyText(
      'Path of a file with the certificate to trust, in PEM, if it comes from your own certificate authority.',
    ),
    user: nonEmptyText('User name; without it there is no login.'),
    passwordEnv: nonEmptyText('Name of the environment variable with the password.'),
    from: matching(ADDRESS_PATTERN, 'The sender of the messages.'),
  },
})

/** The channels for the messages that match. */
const route = exactObject({
  required: ['to'],
  description: 'Matches a message if every key given here matches; without any key, it matches every message.',
  properties: {
    on: notifyRuleProperties.on,
    severity: {
      enum: SEVERITIES,
      description: 'Matches pipelines whose document has this severity. A document without a severity counts as error.',
    },
    owner: nonEmptyText('Matches pipelines whose document names this owner.'),
    pipelines: limitedList(
      { minItems: 1, maxItems: 1000 },
      { type: 'string', pattern: '^[a-z0-9_*-]+$' },
      'Matches these pipelines, by name; * stands for any characters: growth_*.',
    ),
    to: notifyRuleProperties.to,
    remind: durationSetting(
      'An unanswered question is sent again each time this period has passed: 4h. Default: it is sent once.',
    ),
    escalate: exactObject({
      required: ['after', 'to'],
      description: 'Who else gets a question that nobody answers.',
      properties: {
        after: durationSetting('How long the question has waited: 1d.'),
        to: { ...notifyRuleProperties.to, description: 'The channels that get one message about it.' },
      },
    }),
  },
})

/** Who is notified, and how. */
export const notify = exactObject({
  required: ['channels'],
  description:
    'Who gets messages from audience start about runs that triggers, the console, the API and run --detach started. `to` and `on` apply to every pipeline whose document does not set them. The default for `to` is all channels, and for `on` all messages.',
  properties: {
    channels: {
      type: 'object',
      minProperties: 1,
      additionalProperties: channel,
      description: 'Ways to send messages, by name.',
    },
    ...notifyRuleProperties,
    partnerWaits: exactObject({
      required: ['after'],
      description: 'Messages about steps that wait until a partner answers. Default: no such messages.',
      properties: {
        after: durationSetting(
          'How long a step must wait for a partner before the message is sent: 4h, 1d. Each wait gets one message.',
        ),
      },
    }),
    routes: limitedList(
      { maxItems: 200 },
      route,
      'Where messages go: the first matching route names the channels. The `to` of a document takes precedence; if no route matches, the `to` beside `routes` applies.',
    ),
    summary: exactObject({
      required: ['at'],
      description: 'One message a day: what ran, failed, was missed, and is waiting. Default: no such message.',
      properties: {
        at: matching('^([01][0-9]|2[0-3]):[0-5][0-9]$', 'The time of the message: 08:00.'),
        timezone: nonEmptyText('The time zone of `at`: an IANA name, such as America/New_York. Default: UTC.'),
        to: {
          ...notifyRuleProperties.to,
          description: 'The channels that get the message. Default: `to`, but not PagerDuty.',
        },
      },
    }),
    repeat: durationSetting(
      'While a pipeline keeps failing, the first failure gets a message at once. After that, one message for each period of this length, such as 1d, gives the number of further failures, until the pipeline works again. Default: each failure gets a message.',
    ),
  },
})

export type NotifyConfig = ValueOf<typeof notify>
export type ChannelConfig = ValueOf<typeof channel>
export type SmtpConfig = Static<typeof smtp>

/** The rules of audience.yaml, with durations as numbers. */
export function notifyRulesOf({
  to,
  on,
  routes,
  repeat,
  partnerWaits,
  summary,
}: Omit<NotifyConfig, 'channels'>): NotifyRules {
  const ms = (text: string | undefined) => (text === undefined ? undefined : durationOf(text, 0))
  return {
    to,
    on,
    repeatMs: ms(repeat),
    partnerWaitsAfterMs: ms(partnerWaits?.after),
    summary: summary && { timezone: 'UTC', ...summary },
    routes: routes?.map(({ remind, escalate, ...route }) => ({
      ...route,
      remindMs: ms(remind),
      escalate: escalate && { afterMs: durationOf(escalate.after, 0), to: escalate.to },
    })),
  }
}

/**
 * Checks what the schema of audience.yaml cannot express about channels: which keys go together, and the names in each
 * `to`.
 */
export function checkNotify(root: DocumentNode, reporter: DiagnosticCollector): void {
  const notify = childOf(root, 'notify')
  const smtp = childOf(root, 'smtp')
  const channels = entriesOf(childOf(notify, 'channels'))
  for (const [name, { key, value }] of channels) {
    const webhook = childOf(value, 'webhook')
    const email = childOf(value, 'email')
    if (value.kind === 'map' && KINDS.filter((kind) => has(value, kind)).length !== 1) {
      reporter.wrongValue(`channel ${name} must be one of ${KINDS.join(', ')}`, key)
    }
    if (webhook?.kind === 'map' && has(webhook, 'url') === has(webhook, 'urlEnv')) {
      const problem = { code: 'wrong-value', message: `the webhook of ${name} needs either url or urlEnv` }
      reporter.error(problem, entriesOf(value).find(([kind]) => kind === 'webhook')?.[1].key ?? key)
    }
    const url = childOf(webhook ?? childOf(value, 'pagerduty'), 'url')
    if (url && !/^https?:\/\//.test(textOf(url) ?? 'https://')) {
      reporter.wrongValue('url must begin with https:// or http://', url)
    }
    if (email && !smtp) {
      reporter.error({ code: 'missing-key', message: `channel ${name} sends e-mail, but there is no smtp` }, key)
    }
  }
  if (smtp?.kind === 'map' && has(smtp, 'user') !== has(smtp, 'passwordEnv')) {
    reporter.error({ code: 'missing-key', message: 'smtp needs both user and passwordEnv, or neither' }, smtp)
  }
  for (const item of itemsOf(childOf(notify, 'on'))) {
    if (textOf(item) !== 'partnerWaits' || childOf(notify, 'partnerWaits')) continue
    const hint = 'add the time to wait: notify.partnerWaits: { after: 1d }'
    reporter.error(
      { code: 'missing-key', message: '`on` names partnerWaits, but notify.partnerWaits is missing', hint },
      item,
    )
  }
  const names = channels.map(([name]) => name)
  const routes = itemsOf(childOf(notify, 'routes'))
  const zone = childOf(childOf(notify, 'summary'), 'timezone')
  const zoneName = textOf(zone)
  if (zone && zoneName !== undefined && !isTimeZone(zoneName)) {
    reporter.wrongValue(`there is no time zone ${zoneName}`, zone)
  }
  const rules = [notify, childOf(notify, 'summary'), ...routes, ...routes.map((one) => childOf(one, 'escalate'))]
  for (const item of rules.flatMap((rule) => itemsOf(childOf(rule, 'to')))) {
    const name = textOf(item)
    if (name === undefined || names.includes(name)) continue
    const hint = didYouMean(name, names)
    reporter.error({ code: 'unknown-channel', message: `there is no channel ${name}`, hint }, item)
  }
}

function has(node: DocumentNode, key: string): boolean {
  return childOf(node, key) !== undefined
}
