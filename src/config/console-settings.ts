import { resolve } from 'node:path'
import type { ConsoleConfig } from './console-schema.ts'

/** The console of `audience start`, with defaults; `port` is undefined where nothing names one. */
export interface ConsoleSettings extends Pick<ConsoleConfig, 'publicUrl' | 'port'> {
  readonly host: string
  readonly basePath: string
  readonly readOnly: boolean
  readonly roles: NonNullable<ConsoleConfig['roles']>
  readonly proxy?: ConsoleConfig['proxy']
  /** The paths of their files are absolute. */
  readonly tokens: NonNullable<ConsoleConfig['tokens']>
}

/** `folder` is that of the configuration. */
export function consoleSettings(config: ConsoleConfig = {}, folder: string): ConsoleSettings {
  const { host = '127.0.0.1', basePath = '/', readOnly = false, roles = {}, tokens = [], ...rest } = config
  const absolute = tokens.map(({ tokenFile, ...token }) => ({
    ...token,
    tokenFile: tokenFile === undefined ? undefined : resolve(folder, tokenFile),
  }))
  return { ...rest, host, basePath, readOnly, roles, tokens: absolute }
}
