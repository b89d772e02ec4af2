import type { Logger } from 'pino'
import { commandToken } from '../adapter/command-token.ts'
import { fileToken } from '../adapter/file-token.ts'
import { oauth2Token } from '../adapter/oauth2-token.ts'
import { staticToken, type TokenProvider } from '../adapter/tokens.ts'
import type { Profile } from '../config/config-schema.ts'
import type { Settings } from '../config/settings.ts'
import { AudienceError, unavailableError } from '../core/errors.ts'
import type { Secrets } from '../core/secrets.ts'
import type { Proxies } from '../platform/proxies.ts'
import { knownProxies } from './known-proxies.ts'
import type { Surroundings } from './surroundings.ts'

/** The service that a profile names. */
export interface Target {
  readonly baseUrl: string
  readonly token: TokenProvider
  /** The proxies for requests to it. The embedded service is on this machine and has none. */
  readonly proxies?: Proxies | undefined
  close(): Promise<void>
}

export interface TargetDeps {
  settings: Settings
  env: Readonly<Record<string, string | undefined>>
  log: Logger
  secrets: Secrets
  surroundings: Surroundings
  /** Called with one line when the embedded service is used. */
  notice: (text: string) => void
  /** The command rarely needs the service, so a missing token is an error only when the first request is sent. */
  mayLackToken?: true
}

/** The service that the settings name. Throws an AudienceError of the kind `invalid` if they name none. */
export async function openTarget(deps: TargetDeps): Promise<Target> {
  const { settings, env, secrets } = deps
  const { service } = settings
  switch (service.kind) {
    case 'unclear':
      throw new AudienceError(service.problem)
    case 'embedded':
      return embedded(service.folder, deps)
    case 'remote': {
      const proxies = settings.profile.proxy === 'none' ? undefined : knownProxies(env, secrets)
      return {
        baseUrl: service.baseUrl,
        token: knownTo(secrets, tokenFor(settings, { ...deps, proxies })),
        proxies,
        close: async () => undefined,
      }
    }
  }
}

async function embedded(
  folder: string,
  { settings, env, log, secrets, surroundings, notice }: TargetDeps,
): Promise<Target> {
  const unused = ['AUDIENCE_BASE_URL', 'AUDIENCE_TOKEN'].filter((name) => env[name])
  if (unused.length > 0) notice(`not used, because the profile is local: ${unused.join(', ')}`)
  const { openEmbeddedService } = await import('./open-embedded-service.ts')
  const service = await openEmbeddedService({ folder, log, clock: surroundings.clock })
  const { url, token, control } = service.endpoint
  secrets.add(token)
  secrets.add(control.token)
  const does = service.hosted ? 'started' : 'using'
  // A person who chose the embedded service needs no advice about another one.
  const other = settings.isProfileChosen ? '' : '; set AUDIENCE_BASE_URL and AUDIENCE_TOKEN for another service'
  notice(
    `${does} the embedded Audience Data Service at ${url} (data in ${folder}); its people and all figures are synthetic${other}`,
  )
  return { baseUrl: url, token: staticToken(token), close: () => service.close() }
}

/** The environment of a process does not change, so a missing variable is refused before anything is recorded. */
function tokenFor(settings: Settings, deps: Parameters<typeof tokenOf>[1] & Pick<TargetDeps, 'mayLackToken'>) {
  try {
    return tokenOf(settings, deps)
  } catch (error) {
    if (!deps.mayLackToken) throw error
    return { get: () => Promise.reject(error), refused: () => undefined }
  }
}

function tokenOf(
  { profile, profileName, commands }: Settings,
  {
    env,
    secrets,
    surroundings: { clock },
    proxies,
  }: Pick<TargetDeps, 'env' | 'secrets' | 'surroundings'> & { proxies: Proxies | undefined },
): TokenProvider {
  const { token, tokenEnv, tokenFile, tokenCommand, oauth2 } = profile
  if (token !== undefined) return staticToken(token)
  if (tokenEnv !== undefined)
    return staticToken(env[tokenEnv] ?? '', `the environment variable ${tokenEnv} (profile "${profileName}")`)
  if (tokenFile !== undefined) return fileToken(tokenFile, clock)
  const [program, ...args] = tokenCommand ?? []
  if (program !== undefined) return commandToken([program, ...args], clock, commands)
  if (oauth2) {
    const learn = (secret: string) => secrets.addRenewed(secret)
    return oauth2Token(oauth2Settings(oauth2, { env, secrets, profileName }), { clock, proxies, learn })
  }
  throw unavailableError(
    'no-token',
    `there is no access token for ${profile.baseUrl} (profile "${profileName}")`,
    'set AUDIENCE_TOKEN, or give the profile tokenEnv, tokenFile, tokenCommand or oauth2',
  )
}

function oauth2Settings(
  { clientSecretEnv, ...rest }: NonNullable<Profile['oauth2']>,
  { env, secrets, profileName }: Pick<TargetDeps, 'env' | 'secrets'> & Pick<Settings, 'profileName'>,
) {
  const clientSecret = env[clientSecretEnv]
  if (clientSecret) {
    secrets.add(clientSecret)
    return { ...rest, clientSecret }
  }
  throw unavailableError(
    'no-token',
    `the environment variable ${clientSecretEnv} with the OAuth2 client secret (profile "${profileName}") is not set`,
    'set it, or change clientSecretEnv of the profile',
  )
}

/** Every token is a secret as soon as it is obtained. */
function knownTo(secrets: Secrets, provider: TokenProvider): TokenProvider {
  return {
    async get() {
      const token = await provider.get()
      secrets.addRenewed(token)
      return token
    },
    refused: (token) => provider.refused(token),
  }
}
