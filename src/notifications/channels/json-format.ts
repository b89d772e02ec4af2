import { isoTime } from '../../core/iso-time.ts'
import { stringifyJson } from '../../core/json.ts'
import { type Message, plainText } from '../message.ts'

/**
 * A message may cover thousands of notifications. The receiver gets at most this many of them, and the total number.
 */
const MAX_NOTIFICATIONS = 50

/** The body for a custom receiver: all data, and a `text` for receivers that show only that. */
export function jsonBody(message: Message): string {
  const { key, event, at, title, owner, severity, link, next, notifications } = message
  return stringifyJson({
    key,
    event,
    at: isoTime(at),
    title,
    owner,
    severity,
    link,
    text: `${title}\n\n${plainText(message)}`,
    next,
    count: notifications.length,
    notifications: notifications.slice(0, MAX_NOTIFICATIONS).map((one) => ({ ...one, at: isoTime(one.at) })),
  })
}
