import type { Logger } from 'pino'
import { backoffDelay } from '../core/delays.ts'
import { DAY_MS } from '../core/duration.ts'
import { type Notification, subjectOf } from '../core/notification.ts'
import type { Outbox, Undelivered } from '../state/outbox.ts'
import type { Channel, Delivery } from './channels/channel.ts'
import { writeMessage } from './message.ts'

export interface SenderDeps {
  outbox: Pick<Outbox, 'due' | 'delivered' | 'failed'>
  /** The address of the console, with a slash at its end; undefined if it is not known. */
  consoleUrl?: string | undefined
  now: () => number
  random: () => number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  redact: (text: string) => string
}

/** How many notifications are read at a time. */
const BATCH = 2000
/**
 * Notifications of one event and pipeline within this time go into one message, so that many failures do not cause many
 * messages.
 */
const QUIET_MS = 60_000

/**
 * Delivers the due notifications of one channel. A message is sent before the delivery is recorded, so after a crash in
 * between it is sent again.
 */
export function createSender(channel: Channel, deps: SenderDeps): (signal: AbortSignal) => Promise<void> {
  const { outbox, now, random, log, redact } = deps
  const lastSentAt = new Map<string, number>()
  /** The time until which nothing is sent about a pipeline and an event, because the last such message was refused. */
  const heldUntil = new Map<string, number>()
  /** The time until which nothing is sent at all, because the last failure concerned the whole channel. */
  let closedUntil = Number.NEGATIVE_INFINITY

  return async (signal) => {
    if (now() < closedUntil) return
    for (const parts of familiesOf(await outbox.due(channel.name, now(), BATCH))) {
      for (const [index, part] of parts.entries()) {
        if (now() < (heldUntil.get(part.family) ?? 0) || !isDue(part, parts[index + 1])) break
        signal.throwIfAborted()
        const delivery = await channel.send(writeMessage(notificationsOf(part.group), deps.consoleUrl), signal)
        await record(part, delivery)
        if (now() < closedUntil) return
        // Later messages of the same family wait until this one is sent.
        if (delivery.state === 'failed') break
      }
    }
  }

  /**
   * Whether a part can be sent now. It is held back if a message of its kind was sent shortly before. If an end
   * follows, it is not held back, because ends are sent immediately.
   */
  function isDue(part: Part, next: Part | undefined): boolean {
    const isQuiet = ({ name }: Part) => now() - (lastSentAt.get(name) ?? Number.NEGATIVE_INFINITY) < QUIET_MS
    return !isQuiet(part) || (next !== undefined && isEnd(next.group[0]) && !isQuiet(next))
  }

  async function record({ family, name, group }: Part, delivery: Delivery): Promise<void> {
    const ids = idsOf(group)
    const facts = { channel: channel.name, notification: group[0].notification.key, count: ids.length }
    if (delivery.state === 'delivered') {
      lastSentAt.set(name, now())
      forgetOld()
      await outbox.delivered(ids, now())
      log.info({ ...facts, answer: redact(delivery.answer) }, 'delivered')
      return
    }
    const error = redact(delivery.reason)
    const isLast = ({ attempts }: Undelivered) => attempts + 1 >= MAX_ATTEMPTS
    const last = group.filter(isLast)
    const others = group.filter((one) => !isLast(one))
    if (last.length > 0) {
      await outbox.failed(idsOf(last), { error })
      log.error({ ...facts, count: last.length, error }, 'notifications given up after the last attempt')
    }
    if (others.length === 0) return
    const attempts = 1 + Math.max(...others.map((one) => one.attempts))
    const nextAt = Math.ceil(now() + retryDelayMs(attempts, random, delivery.retryAfterMs))
    if (delivery.concerns === 'channel') closedUntil = nextAt
    else heldUntil.set(family, nextAt)
    await outbox.failed(idsOf(others), { error, nextAt })
    const next = { attempts, nextAt: new Date(nextAt).toISOString() }
    log.warn({ ...facts, count: others.length, error, ...next }, 'delivery failed')
  }

  function forgetOld(): void {
    for (const [name, at] of lastSentAt) if (now() - at >= QUIET_MS) lastSentAt.delete(name)
    for (const [family, until] of heldUntil) if (now() >= until) heldUntil.delete(family)
  }
}

type Group = readonly [Undelivered, ...Undelivered[]]

/** The notifications of one message. */
interface Part {
  /** Identifies the family: a subject and an event. The ends of the event belong to the same family. */
  readonly family: string
  readonly name: string
  readonly group: Group
}

const isEnd = ({ notification }: Undelivered) => notification.ends !== undefined

/**
 * Groups notifications by subject and event, oldest first. Each family has at most three parts, in the order in which
 * they are sent: what came before the last end, the ends, and what came after. So the last message is true when it is
 * sent, even if no message got through for a long time.
 */
function familiesOf(due: readonly Undelivered[]): readonly (readonly Part[])[] {
  const families = Map.groupBy(due, ({ notification: one }) => `${subjectOf(one)}/${one.ends ?? one.event}`)
  return [...families].map(([family, all]) => {
    const lastEnd = all.findLastIndex(isEnd)
    const parts = [
      all.filter((one, index) => index < lastEnd && !isEnd(one)),
      all.filter(isEnd),
      all.slice(lastEnd + 1),
    ]
    return parts.flatMap(([first, ...others]) => {
      if (!first) return []
      return [{ family, name: `${family}/${first.notification.event}`, group: [first, ...others] as const }]
    })
  })
}

const idsOf = (some: readonly Undelivered[]) => some.map(({ id }) => id)

function notificationsOf([first, ...others]: Group): readonly [Notification, ...Notification[]] {
  return [first.notification, ...others.map(({ notification }) => notification)]
}

const DELAYS = { firstMs: 5_000, longestMs: 15 * 60_000 } as const
/** If a receiver asks for a longer delay, the message is still retried after this time. */
const LONGEST_ASKED_MS = DAY_MS

/** About a day of attempts at the longest delay. */
const MAX_ATTEMPTS = 100

/**
 * How long to wait after `attempts` failed attempts, in milliseconds. The time doubles with each attempt, varies by a
 * quarter, and is at least what the receiver asked for.
 */
export function retryDelayMs(attempts: number, random: () => number, askedMs = 0): number {
  return Math.max(backoffDelay(DELAYS, attempts) * (0.75 + random() / 2), Math.min(askedMs, LONGEST_ASKED_MS))
}
