import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'

/** Options that several commands share, in the form that commander expects. */
export const PROFILE_OPTION = [
  '-p, --profile <name>',
  'the profile of audience.yaml to use (AUDIENCE_PROFILE)',
] as const
export const CONFIG_OPTION = [
  '--config <file>',
  'the configuration to use and to trust, instead of the nearest audience.yaml (AUDIENCE_CONFIG)',
] as const
export const OTHER_SERVICE_OPTION = [
  '--other-service',
  'use this service although the run belongs to another one; the run keeps the ids of the other service',
] as const
export const LOG_LEVEL_OPTION = logLevelOption('warn')
export const BY_OPTION = ['--by <name>', 'who does it, for the run and the audit log; default: your user name'] as const
export const INPUT_OPTION = [
  '-i, --input <key=value>',
  'an input of the pipeline; may be given several times; for a list of objects, give @list.yaml',
] as const

export function logLevelOption(level: 'info' | 'warn') {
  return ['--log-level <level>', 'debug, info, warn, error or silent; logs go to standard error', level] as const
}

/** The flags of a command whose only option is `--json`. */
export interface JsonFlag {
  readonly json?: true
}

/** For an option that may be given several times. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}

/** An option with an integer value. */
export function integerOption(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** A TCP port; 0 selects any free port. */
export function portOption(text: string): number {
  const port = integerOption(text)
  if (port <= 65_535) return port
  throw new InvalidArgumentError('It must be at most 65535.')
}

/** The milliseconds of a duration that a person typed. Throws an AudienceError of the kind `usage`. */
export function durationOption(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw usageError('bad-duration', `"${text}" is not a duration`, 'write it as 30d or 12h')
}

/** The minimum length of a part of an id. With one letter, `runs cancel` would find the only run of a new project. */
export const SHORTEST_RUN_ID = 4

/** For the help of every command that takes a run. */
export const RUN_HELP = `RUN is the id of a run, \`latest\`, or at least ${SHORTEST_RUN_ID} characters that only one run has: the first ones of its id, or the
first or last ones after the dash. \`latest\` is the newest run that no other run started.`
