import type { Logger } from 'pino'
import { usageError } from '../core/errors.ts'
import { printableData } from '../core/printable.ts'
import { createLog, LOG_LEVELS } from '../platform/logger.ts'
import type { Terminal } from './terminal.ts'
import { readableLine } from './views/log-line.ts'

/** The log of a command, on standard error: text for people on a terminal, JSON lines elsewhere. */
export async function openLog({ err, env, secrets, surroundings }: Terminal, level: string): Promise<Logger> {
  const known = LOG_LEVELS.find((candidate) => candidate === level)
  if (!known) {
    throw usageError('unknown-log-level', `unknown log level "${level}"`, `use one of ${LOG_LEVELS.join(', ')}`)
  }
  const destination = err.isTTY ? await prettyStream(err, env) : err
  return createLog({ level: known, destination, secrets, clock: surroundings.clock })
}

async function prettyStream(err: NodeJS.WriteStream, env: Terminal['env']) {
  const { PinoPretty } = await import('pino-pretty')
  const pretty = PinoPretty({
    destination: err,
    colorize: !env.NO_COLOR,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  })
  return { write: (line: string) => pretty.write(`${JSON.stringify(readableLine(printableData(JSON.parse(line))))}\n`) }
}
