import { openChannel } from '../app/open-channels.ts'
import { channelNames } from '../config/settings.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError, EXIT_CODES, invalidError, usageError } from '../core/errors.ts'
import { printable } from '../core/printable.ts'
import type { Delivery } from '../notifications/channels/channel.ts'
import { type Message, testMessage } from '../notifications/message.ts'
import { settingsOf } from './settings-of.ts'
import { interruption, type Terminal, untilInterrupt } from './terminal.ts'

/** Tests channels, all at the same time, and prints the result of each; returns 0, or 1 if one failed. */
export async function testNotify(channel: string | undefined, _flags: object, terminal: Terminal): Promise<number> {
  const { env, out, secrets, surroundings } = terminal
  const { clock } = surroundings
  const settings = settingsOf(terminal)
  using interrupted = untilInterrupt(terminal, interruption)
  const names = namesOf(channel, channelNames(settings))
  const width = Math.max(...names.map(({ length }) => length))
  const tried = await Promise.all(
    names.map(async (name) => {
      const message = testMessage(name, clock.now(), settings.console.publicUrl)
      const delivery = await deliver(
        () => openChannel(name, { settings, env, secrets, clock }),
        message,
        interrupted.signal,
      )
      const said = delivery.state === 'delivered' ? `delivered: ${delivery.answer}` : `failed: ${delivery.reason}`
      out.write(`${name.padEnd(width)}  ${printable(said)}\n`)
      return delivery.state
    }),
  )
  if (interrupted.signal.aborted) return EXIT_CODES.interrupted
  return tried.includes('failed') ? EXIT_CODES.failed : 0
}

/** Tests one channel. If it cannot be used, the others are still tested. */
async function deliver(
  open: () => ReturnType<typeof openChannel>,
  message: Message,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    return await open().send(message, signal)
  } catch (error) {
    if (error instanceof AudienceError) return { state: 'failed', reason: error.message, concerns: 'channel' }
    throw error
  }
}

function namesOf(channel: string | undefined, known: readonly string[]): readonly string[] {
  if (known.length === 0) {
    throw invalidError('no-channels', 'audience.yaml has no channels', 'declare one under notify.channels')
  }
  if (channel === undefined) return known
  if (known.includes(channel)) return [channel]
  throw usageError(
    'unknown-channel',
    `audience.yaml has no channel ${channel}`,
    didYouMean(channel, known) ?? 'its channels are under notify.channels',
  )
}
