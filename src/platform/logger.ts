import { type DestinationStream, type Logger, pino } from 'pino'
import type { Secrets } from '../core/secrets.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** One JSON object per line; every line goes through `secrets`. */
export function createLog(options: {
  level: (typeof LOG_LEVELS)[number]
  destination: DestinationStream
  secrets: Secrets
}): Logger {
  const { destination, secrets } = options
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => destination.write(secrets.redact(line)) },
  )
}
