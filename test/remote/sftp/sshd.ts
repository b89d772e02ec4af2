import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SftpConfig } from '../../../src/core/remote-source.ts'
import { freePort } from '../../support/free-port.ts'

const SSHD = '/usr/sbin/sshd'

/** Whether Debian's sshd is on this machine: without it, its tests are left out, unless REQUIRE_SSHD is set. */
export const hasSshd = existsSync(SSHD)

/** A server of Debian's OpenSSH with `internal-sftp`, on loopback, for one test file. */
export interface Sshd {
  /** The folder of the login. */
  readonly root: string
  readonly config: SftpConfig
  /** The same folder for an account that only reads. */
  readonly readOnly: SftpConfig
  /** The same folder on a server that answers reads with less than requested. */
  readonly shortReads: SftpConfig
  /** Ends all connections. */
  cut(): Promise<void>
  /** Restarts it with another host key. */
  changeHostKey(): Promise<void>
  /** Stops it; `start` starts it again. */
  end(): Promise<void>
  start(): Promise<void>
  /** Empties the folder of the login. */
  clear(): Promise<void>
  stop(): Promise<void>
}

/** Starts one. The caller stops it. */
export async function startSshd(): Promise<Sshd> {
  const folder = await mkdtemp(join(tmpdir(), 'sshd-'))
  const at = (name: string) => join(folder, name)
  const root = at('root')
  await mkdir(root)
  const [port, readOnlyPort, shortReadsPort] = [await freePort(), await freePort(), await freePort()]
  for (const name of ['host', 'user']) makeKey(at(name))
  await copyFile(at('user.pub'), at('authorized_keys'))
  await writeKnownHosts()
  await writeFile(
    at('sshd_config'),
    `Port ${port}
Port ${readOnlyPort}
Port ${shortReadsPort}
ListenAddress 127.0.0.1
HostKey ${at('host')}
PidFile none
AuthorizedKeysFile ${at('authorized_keys')}
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
Subsystem sftp internal-sftp -d ${root}
Match LocalPort ${readOnlyPort}
  ForceCommand internal-sftp -R -d ${root}
Match LocalPort ${shortReadsPort}
  ForceCommand "${process.execPath}" "${join(import.meta.dirname, 'short-reads.ts')}" "${root}"
`,
  )
  let server: ChildProcess | undefined
  async function writeKnownHosts(): Promise<void> {
    const [type, key] = (await readFile(at('host.pub'), 'utf8')).split(' ')
    const lines = [port, readOnlyPort, shortReadsPort].map((each) => `[127.0.0.1]:${each} ${type} ${key}\n`)
    await writeFile(at('known_hosts'), lines.join(''))
  }
  const start = async () => {
    // As root, Debian's sshd needs this folder.
    if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true })
    server = spawn(SSHD, ['-D', '-e', '-f', at('sshd_config')], { stdio: 'ignore' })
    while (!(await answers(port))) {
      if (server.exitCode !== null) throw new Error(`sshd ended with code ${server.exitCode}`)
      await sleep(20)
    }
  }
  const cut = async () => {
    for (const pid of await childrenOf(server?.pid)) for (const each of [pid, ...(await childrenOf(pid))]) kill(each)
  }
  const end = async () => {
    const ended = server && server.exitCode === null ? once(server, 'exit') : undefined
    await cut()
    server?.kill('SIGKILL')
    await ended
  }
  await start()
  const account = { kind: 'sftp', host: '127.0.0.1', user: userInfo().username } as const
  const files = { keyFile: at('user'), knownHosts: at('known_hosts') }
  return {
    root,
    config: { ...account, ...files, port },
    readOnly: { ...account, ...files, port: readOnlyPort },
    shortReads: { ...account, ...files, port: shortReadsPort },
    ...{ cut, end, start },
    async changeHostKey() {
      await end()
      await rm(at('host'))
      makeKey(at('host'))
      await start()
    },
    async clear() {
      await rm(root, { recursive: true })
      await mkdir(root)
    },
    async stop() {
      await end()
      await rm(folder, { recursive: true })
    },
  }
}

function makeKey(file: string): void {
  const { status, stderr } = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
  if (status !== 0) throw new Error(`ssh-keygen failed: ${stderr}`)
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return []
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended since.
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => resolve(socket.destroy() !== undefined))
    socket.once('error', () => resolve(false))
  })
}
