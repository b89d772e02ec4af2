import { type DestinationStream, type Logger, pino } from 'pino'
import type { Clock } from '../core/clock.ts'
import { isoTime } from '../core/iso-time.ts'
import { printableJson } from '../core/printable.ts'
import type { Secrets } from '../core/secrets.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

/**
 * One JSON object per line. Every line goes through `secrets` and is safe for a terminal, because strangers may choose
 * the names of files.
 */
export function createLog(options: {
  level: (typeof LOG_LEVELS)[number]
  destination: DestinationStream
  secrets: Secrets
  clock: Pick<Clock, 'now'>
}): Logger {
  const { destination, secrets, clock } = options
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${isoTime(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => destination.write(printableJson(secrets.redact(line))) },
  )
}
