import { stringifyJson } from '../../core/json.ts'
import { subjectOf } from '../../core/notification.ts'
import { DEFAULT_SEVERITY } from '../../core/notify-rule.ts'
import { type Message, shortened } from '../message.ts'
import type { Channel } from './channel.ts'
import { type PostOptions, postJson } from './post-json.ts'
import { deliveryOf } from './webhook-channel.ts'

export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

/** The maximum length of a summary that PagerDuty accepts, in UTF-16 units. */
const MAX_SUMMARY = 1024

/** Opens and closes alerts in PagerDuty, with its Events API v2. */
export function pagerdutyChannel(
  options: PostOptions & {
    name: string
    url: URL
    /** The integration key of a service. */
    key: string
  },
): Channel {
  const { name, url, key, ...http } = options
  return {
    name,
    resolves: true,
    async send(message, signal) {
      const body = stringifyJson({ routing_key: key, ...eventOf(message) })
      const result = await postJson(url, body, { signal, ...http })
      signal.throwIfAborted()
      return deliveryOf(result, url)
    },
  }
}

/**
 * There is one alert for a pipeline (or a source) and an event, whatever the run. So a recovery closes the alert of the
 * failures, and further failures do not open another one.
 */
function eventOf(message: Message) {
  const { event, ends, at, title, owner, severity = DEFAULT_SEVERITY, link, facts, paragraphs, next } = message
  const [first] = message.notifications
  const subject = first && subjectOf(first)
  const dedup_key = ['audience', subject, ends ?? event].filter((part) => part !== undefined).join('/')
  if (ends !== undefined) return { event_action: 'resolve', dedup_key }
  return {
    event_action: 'trigger',
    dedup_key,
    client: 'Audience Pipelines',
    client_url: link,
    links: link === undefined ? undefined : [{ href: link, text: 'Open in the console' }],
    payload: {
      summary: shortened(title, MAX_SUMMARY),
      source: 'audience',
      severity: event === 'test' ? 'info' : severity,
      timestamp: new Date(at).toISOString(),
      component: subject,
      group: owner,
      class: event,
      custom_details: { ...Object.fromEntries(facts), Text: paragraphs.join('\n'), 'What to do next': next.join('\n') },
    },
  }
}
