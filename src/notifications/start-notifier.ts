import { atMost, type Clock } from '../core/clock.ts'
import { DAY_MS, HOUR_MS } from '../core/duration.ts'
import { messageOf } from '../core/message-of.ts'
import { repeat } from '../core/repeat.ts'
import type { Channel } from './channels/channel.ts'
import { createAddressing } from './recipients.ts'
import { createReminders } from './reminders.ts'
import { createSender, type SenderDeps } from './sender.ts'
import { createSweep, type SweepDeps } from './sweep.ts'

export interface NotifierDeps
  extends Omit<SweepDeps, 'channels' | 'log'>,
    Pick<SenderDeps, 'consoleUrl' | 'random' | 'log' | 'redact'> {
  channels: readonly Channel[]
  clock: Clock
}

export interface Notifier {
  /** Ends all work; a message in progress gets `graceMs` to arrive. Undelivered notifications stay in the outbox. */
  stop(graceMs: number): Promise<void>
}

/** How often it looks for events and for due notifications. */
const TICK_MS = 1000
/** How late reminders, summaries and lateness checks can be if the clock jumps and there are no events. */
const DUE_MS = 600_000
/** How long delivered notifications are kept. */
const KEEP_MS = 30 * DAY_MS

/**
 * Notifies people of everything that happens after its first start on this state. Without channels, it makes and stores
 * no notifications.
 */
export async function startNotifier(deps: NotifierDeps): Promise<Notifier> {
  const { outbox, channels, clock, log } = deps
  if (channels.length === 0) {
    await outbox.end()
    return { stop: async () => undefined }
  }
  const names = channels.map(({ name }) => name)
  const resolving = channels.filter(({ resolves }) => resolves).map(({ name }) => name)
  const addressing = { ...deps, channels: names, resolving }
  await outbox.begin()
  await moveLost(addressing)

  const stopping = new AbortController()
  const cutting = new AbortController()
  const sweep = createSweep(addressing)
  const remind = createReminders(addressing)
  let prunedAt = Number.NEGATIVE_INFINITY
  const sweepAndPrune = async () => {
    await sweep(clock.now())
    if (clock.now() - prunedAt < HOUR_MS) return
    prunedAt = clock.now()
    await outbox.prune(clock.now() - KEEP_MS)
  }
  const keep = (name: string, work: () => Promise<void>) =>
    repeat(work, {
      clock,
      everyMs: TICK_MS,
      dueMs: DUE_MS,
      signal: stopping.signal,
      // A full disk causes an error every second, which is logged once.
      failed(error) {
        if (cutting.signal.aborted) return
        const facts = { notifier: name, error: deps.redact(messageOf(error)) }
        log.error(facts, 'notifying failed and will be retried')
      },
    })
  const loops = [
    keep('sweep', sweepAndPrune),
    keep('reminders', () => remind(clock.now())),
    // Each channel has its own loop, so one that hangs does not delay the others.
    ...channels.map((channel) => {
      const deliver = createSender(channel, { ...deps, now: clock.now })
      return keep(channel.name, () => deliver(cutting.signal))
    }),
  ]

  return {
    async stop(graceMs) {
      stopping.abort()
      const ended = Promise.all(loops)
      await atMost(graceMs, [ended], clock)
      cutting.abort()
      await ended
    },
  }
}

/** How many notifications one transaction moves. */
const MOVED_AT_ONCE = 500

/** Messages for a channel that audience.yaml no longer has go to the channels that the rules name now. */
async function moveLost(deps: Omit<SweepDeps, 'log'> & Pick<NotifierDeps, 'clock' | 'log'>): Promise<void> {
  const { outbox, log } = deps
  const { addressed } = createAddressing(deps)
  for (;;) {
    const lost = await outbox.elsewhere(deps.channels, MOVED_AT_ONCE)
    if (lost.length === 0) return
    const homes = lost.map(({ notification }) => addressed(notification))
    await outbox.commitBatch({
      events: [],
      notifications: homes.flat(),
      moved: lost.map(({ id }) => id),
      checkpoints: new Map(),
      at: deps.clock.now(),
    })
    const dropped = homes.filter(({ length }) => length === 0).length
    log.warn(
      { count: lost.length, dropped },
      'messages for removed channels go to the channels that the rules name now',
    )
  }
}
