import type { Logger } from 'pino'
import { isLike } from '../core/is-like.ts'
import type { Notification } from '../core/notification.ts'
import {
  DEFAULT_SEVERITY,
  type DocumentRule,
  NOTIFY_EVENTS,
  type NotifyRoute,
  type NotifyRules,
} from '../core/notify-rule.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { OutboxChange } from '../state/outbox.ts'

export interface RecipientDeps {
  /** The documents in use, by name. The map may change at any time. */
  pipelines: ReadonlyMap<string, Pipeline>
  /** The names of the configured channels. */
  channels: readonly string[]
  /** The channels that close what they have opened. */
  resolving?: readonly string[]
  /** The rules of audience.yaml. */
  rules: NotifyRules
  log: Pick<Logger, 'warn'>
}

export function createAddressing(deps: RecipientDeps) {
  const { rules, resolving = [] } = deps
  const warned = new Set<string>()
  // A summary must not open an alert.
  const summaryTo = rules.summary?.to ?? (rules.to ?? deps.channels).filter((name) => !resolving.includes(name))

  function withAnswers(notification: Notification): Notification {
    const { owner, notify } = deps.pipelines.get(notification.pipeline) ?? {}
    return { ...notification, owner, severity: notify?.severity }
  }

  /**
   * Addresses a notification to the channels that the current rules and documents name, with the owner and the severity
   * of its pipeline.
   */
  function addressed(notification: Notification): OutboxChange['notifications'] {
    const { pipeline } = notification
    const { notify } = deps.pipelines.get(pipeline) ?? {}
    const told = withAnswers(notification)
    const { channels, unknown } = recipientsOf(told, { document: notify, rules, known: deps.channels })
    for (const channel of unknown) {
      if (warned.has(`${pipeline}/${channel}`)) continue
      warned.add(`${pipeline}/${channel}`)
      deps.log.warn({ pipeline, channel }, 'audience.yaml has no channel with this name, so no message goes to it')
    }
    // This ignores the current rules, because alerts must be closed in the channels in which they were opened.
    const closing = told.ends === undefined ? [] : resolving
    const summing = told.event === 'summary' ? summaryTo : []
    return [...new Set([...channels, ...closing, ...summing])].map((channel) => ({ channel, notification: told }))
  }

  return {
    addressed,
    /** The route that a notification matches, whatever the document says. */
    routeOf: (notification: Notification) => routeOf(rules, withAnswers(notification)),
  }
}

function routeOf({ routes }: NotifyRules, notification: Notification): NotifyRoute | undefined {
  return routes?.find((route) => fits(route, notification))
}

/**
 * The channels that get a notification. The document's rule comes first, then the first matching route, then the rest
 * of audience.yaml. If no rule names channels, all channels get all events. Unknown names are ignored. If no name
 * remains, the next wider rule is used, so that the event is not lost.
 */
function recipientsOf(
  notification: Notification,
  { document, rules, known }: { document: DocumentRule | undefined; rules: NotifyRules; known: readonly string[] },
): { readonly channels: readonly string[]; readonly unknown: readonly string[] } {
  const on = document?.on ?? rules.on ?? NOTIFY_EVENTS
  const { event } = notification
  if (event === 'answered' || event === 'summary' || !on.includes(event)) return { channels: [], unknown: [] }
  const wider = routeOf(rules, notification)?.to ?? rules.to ?? known
  const to = document?.to ?? wider
  const unknown = to.filter((name) => !known.includes(name))
  return { channels: unknown.length < to.length ? to.filter((name) => known.includes(name)) : wider, unknown }
}

function fits(route: NotifyRoute, { event, pipeline, owner, severity = DEFAULT_SEVERITY }: Notification): boolean {
  return (
    (route.on?.some((one) => one === event) ?? true) &&
    (route.severity ?? severity) === severity &&
    (route.owner === undefined || route.owner === owner) &&
    (route.pipelines?.some((pattern) => isLike(pipeline, pattern)) ?? true)
  )
}
