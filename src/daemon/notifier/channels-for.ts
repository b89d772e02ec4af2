import { NOTIFY_EVENTS, type NotifyEvent, type NotifyRule } from '../../core/notify-rule.ts'

/**
 * The channels that are told of an event: what the document says, and where it leaves something out what audience.yaml
 * says, else everybody of everything. Names that nobody knows are passed over; where none is left, the channels of
 * audience.yaml are told rather than nobody.
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
