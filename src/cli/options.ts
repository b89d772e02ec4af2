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
export const INPUT_OPTION = [
  '-i, --input <key=value>',
  'an input of the pipeline; may be given several times; for a list of objects, give @list.yaml',
] as const

export function logLevelOption(level: 'info' | 'warn') {
  return ['--log-level <level>', 'debug, info, warn, error or silent; logs go to standard error', level] as const
}

/** For an option that may be given several times. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}
