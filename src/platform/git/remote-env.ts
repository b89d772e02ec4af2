import { statSync } from 'node:fs'
import { type AudienceError, unavailableError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import { shellWord } from '../../core/shell-word.ts'
import { absolutePath } from '../absolute-path.ts'

type Env = Readonly<Record<string, string | undefined>>

/** How to reach a repository. */
export interface GitAccess {
  /** The address without a user name in it. */
  readonly url: string
  readonly protocol: 'https' | 'http' | 'ssh' | 'file'
  /** The user who signs in with the token. */
  readonly user: string | undefined
  /** Called before each call of git. */
  readonly token: (() => Promise<string>) | undefined
  readonly ssh: { readonly keyFile: string; readonly knownHosts: string } | undefined
}

/**
 * The variables of this process that git gets in addition to its own: they say where proxies, certificates and
 * temporary files are.
 */
const KEPT = /^(https?_proxy|no_proxy|all_proxy|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|TMPDIR)$/

/**
 * Git must not prompt anybody, must not run anything that a repository or a user's settings name, and must not contact
 * anything but the remote repository.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.askPass': '',
  'credential.helper': '',
  'fetch.fsckObjects': 'true',
  'transfer.fsckObjects': 'true',
  'fetch.unpackLimit': '1',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '100',
  'http.lowSpeedTime': '30',
  'pack.threads': '1',
  'submodule.recurse': 'false',
  'protocol.version': '2',
}

/** The whole environment of git for a remote repository. The token is neither in an argument nor in a file. */
export async function remoteEnv(access: GitAccess, env: Env): Promise<Env> {
  const settings = Object.entries(SETTINGS)
  if (access.token) {
    const user = access.user ?? 'x-access-token'
    const credentials = Buffer.from(`${user}:${await access.token()}`).toString('base64')
    settings.push(['http.extraHeader', `Authorization: Basic ${credentials}`])
  }
  const kept = Object.entries(env).flatMap(([name, value]) =>
    KEPT.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  return {
    ...Object.fromEntries(kept),
    PATH: absolutePath(env.PATH),
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: access.protocol,
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_SSH_VARIANT: 'ssh',
    GIT_SSH_COMMAND: access.ssh ? sshCommand(access.ssh) : 'false',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}

const SSH_OPTIONS = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'GlobalKnownHostsFile=/dev/null',
  'UpdateHostKeys=no',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'PreferredAuthentications=publickey',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'ProxyCommand=none',
  'PermitLocalCommand=no',
  'ConnectTimeout=10',
  'ServerAliveInterval=10',
]

function sshCommand({ keyFile, knownHosts }: NonNullable<GitAccess['ssh']>): string {
  requirePrivate(keyFile)
  const options = [...SSH_OPTIONS, `UserKnownHostsFile="${knownHosts}"`].flatMap((option) => ['-o', option])
  return ['ssh', '-F', '/dev/null', '-i', keyFile, ...options].map(shellWord).join(' ')
}

/** Checks the key file, because ssh reports this problem in seven lines and then asks for a password. */
function requirePrivate(keyFile: string): void {
  let mode: number
  try {
    mode = statSync(keyFile).mode
  } catch (error) {
    throw refused(`the key ${keyFile} cannot be read: ${messageOf(error)}`, 'check `pipelines.git.sshKeyFile`')
  }
  if ((mode & 0o077) !== 0) throw refused(`others may read the key ${keyFile}`, `chmod 600 ${shellWord(keyFile)}`)
}

function refused(message: string, hint: string): AudienceError {
  return unavailableError('git-access-refused', message, hint)
}
