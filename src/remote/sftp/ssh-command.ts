import type { SftpConfig } from '../../core/remote-source.ts'
import { absolutePath } from '../../platform/absolute-path.ts'

/** How long the network may take to connect, in seconds. */
const CONNECT_SECONDS = 20

/**
 * The arguments of the OpenSSH client for the sftp subsystem. These options override every configuration: the client
 * prompts nobody and uses no agent, no other key and no password, and an unknown host key ends the connection.
 */
export function sshArguments({ host, port, user, ...files }: SftpConfig): readonly string[] {
  const options = {
    // At this level, the client says which host key and which program it found.
    LogLevel: 'DEBUG1',
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: quoted(files.knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    VerifyHostKeyDNS: 'no',
    IdentityFile: quoted(files.keyFile),
    CertificateFile: files.certificateFile === undefined ? undefined : quoted(files.certificateFile),
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PKCS11Provider: 'none',
    PreferredAuthentications: 'publickey',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlMaster: 'no',
    ControlPath: 'none',
    RequestTTY: 'no',
    ConnectTimeout: CONNECT_SECONDS,
    ServerAliveInterval: 15,
    ServerAliveCountMax: 4,
    Port: port,
    User: user,
  }
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : ['-o', `${name}=${value}`],
  )
  return ['-F', files.configFile ?? 'none', ...given, '-s', '--', host, 'sftp']
}

/** The environment of the client: no agent, no program that asks for a password, and messages in English. */
export function sshEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SYSTEMROOT } = process.env
  return { PATH: absolutePath(PATH), SYSTEMROOT, LC_ALL: 'C' }
}

/** A path in an option. The client splits words at spaces, and replaces what follows a percent sign. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`
}
