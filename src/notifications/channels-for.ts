import { NOTIFY_EVENTS, type NotifyEvent, type NotifyRule } from '../core/notify-rule.ts'

/**
 * The channels that are notified of an event. The document's rule comes first. What it omits comes from audience.yaml.
 * If both omit it, all channels get all events. Unknown names are ignored; if no name remains, the channels of
 * audience.yaml are used, so that the event is not lost.
 */
export function channelsFor(
  event: NotifyEvent,
  rules: { readonly document: NotifyRule | undefined; readonly defaults: NotifyRule },
  known: readonly string[],
): { readonly channels: readonly string[]; readonly unknown: readonly string[] } {
  const { document, defaults } = rules
  const on = document?.on ?? defaults.on ?? NOTIFY_EVENTS
  if (!on.includes(event)) return { channels: [], unknown: [] }
  const wider = defaults.to ?? known
  const to = document?.to ?? wider
  const unknown = to.filter((name) => !known.includes(name))
  return { channels: unknown.length < to.length ? to.filter((name) => known.includes(name)) : wider, unknown }
}
