import { stat } from 'node:fs/promises'
import type { AudienceError } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { remoteError } from '../../core/remote-error.ts'
import type { SftpConfig } from '../../core/remote-source.ts'

/** What the client reported about the server: its program, and its host key. Both may be missing. */
export interface SshGreeting {
  readonly software?: string
  readonly hostKey?: string
}

export function greetingOf(said: string): SshGreeting {
  return {
    software: /remote software version (\S{1,60})/.exec(said)?.[1],
    hostKey: /Server host key: \S+ (SHA256:[\w+/=]{1,64})/.exec(said)?.[1],
  }
}

/** Why a connection ended or never began, according to the client. */
export function sshFailure(said: string, { host, port = 22, user, ...files }: SftpConfig): AudienceError {
  const place = `${host}:${port}`
  const { hostKey } = greetingOf(said)
  if (/Host key verification failed|HOST IDENTIFICATION HAS CHANGED|host key is known for/.test(said)) {
    const isChanged = said.includes('HAS CHANGED')
    return remoteError('source-host-key', {
      message: `the host key of ${place}${hostKey === undefined ? '' : `, ${hostKey},`} ${isChanged ? 'is not the one' : 'is not'} in ${files.knownHosts}`,
      hint: isChanged
        ? 'ask the owner of the server whether its key was changed; if it was, replace the line in that file, otherwise somebody may be intercepting the connection'
        : `ask the owner of the server for the fingerprint of its host key, and check that it is the fingerprint of the key that this command adds: ssh-keyscan -p ${port} ${host} >> ${files.knownHosts}`,
    })
  }
  if (/Permission denied|Too many authentication failures/.test(said)) {
    return remoteError('source-access-refused', {
      message: `${place} refuses the account ${user} with the key ${files.keyFile}`,
      hint: 'ask the owner of the server whether the account has the public key for this key file',
    })
  }
  if (/subsystem request failed/.test(said)) {
    return remoteError('source-access-refused', {
      message: `${place} lets the account ${user} in, but does not offer it SFTP`,
      hint: 'ask the owner of the server to enable the sftp subsystem',
    })
  }
  const last = lastWords(said)
  return remoteError('source-unreachable', {
    message: `${place} cannot be reached${last === undefined ? ': the connection ended' : `: ${last}`}`,
    hint: 'check the network and the address; this will be retried automatically',
  })
}

/** The last line that is not about a detail of the protocol. */
function lastWords(said: string): string | undefined {
  const lines = said
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !/^(debug\d|OpenSSH_|Authenticated to)/.test(line))
  const last = lines.at(-1)?.replace(/^(ssh|kex_exchange_identification): /, '')
  return last === undefined ? undefined : printable(last).slice(0, 200)
}

/**
 * Throws if the client's files are missing or not private, because the client itself says so in seven lines, or not at
 * all.
 */
export async function requireSshFiles({ keyFile, knownHosts, certificateFile }: SftpConfig): Promise<void> {
  const key = await stat(keyFile).catch(() => undefined)
  if (!key?.isFile()) {
    throw remoteError('source-access-refused', {
      message: `there is no key in ${keyFile}, or this process may not read it`,
      hint: 'make one with: ssh-keygen -t ed25519 -N "" -f FILE; the owner of the server gets FILE.pub',
    })
  }
  if (process.platform !== 'win32' && (key.mode & 0o077) !== 0) {
    throw remoteError('source-access-refused', {
      message: `others may read the key in ${keyFile}, so ssh does not use it`,
      hint: `chmod 600 ${keyFile}`,
    })
  }
  if (certificateFile !== undefined && !(await stat(certificateFile).catch(() => undefined))?.isFile()) {
    const message = `there is no certificate in ${certificateFile}, or this process may not read it`
    throw remoteError('source-access-refused', { message, hint: 'ask the certificate authority of the server for one' })
  }
  if (!(await stat(knownHosts).catch(() => undefined))?.isFile()) {
    throw remoteError('source-host-key', {
      message: `there is no file ${knownHosts}, or this process may not read it, so no host key is known`,
      hint: 'ask the owner of the server for its host key; ssh-keyscan prints a key, but does not check whose key it is',
    })
  }
}
