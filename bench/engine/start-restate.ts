import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from './free-ports.ts'

export interface Restate {
  readonly ingressUrl: string
  readonly adminUrl: string
  stop(): Promise<void>
}

const START_WITHIN_MS = 60_000

/**
 * A new Restate server in a folder, on loopback: one node with all roles, and every append synced to disk, as by
 * default. Its default of 24 partitions is for a cluster; one per core is faster on a small machine.
 */
export async function startRestate(folder: string, partitions: number): Promise<Restate> {
  const [ingress, admin, node] = await freePorts(3)
  const data = join(folder, 'restate')
  mkdirSync(data, { recursive: true })
  const log = createWriteStream(join(folder, 'restate.log'))
  const args = ['--node-name', 'bench', '--base-dir', data]
  const server = spawn(serverProgram(), args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DO_NOT_TRACK: '1',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}/`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DEFAULT_NUM_PARTITIONS: String(partitions),
    },
  })
  server.stdout.pipe(log, { end: false })
  server.stderr.pipe(log, { end: false })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const stop = async () => {
    server.kill('SIGKILL')
    await ended
  }
  const adminUrl = `http://127.0.0.1:${admin}`
  const ingressUrl = `http://127.0.0.1:${ingress}`
  const deadline = Date.now() + START_WITHIN_MS
  while (!((await isWell(`${adminUrl}/health`)) && (await isWell(`${ingressUrl}/restate/health`)))) {
    if (Date.now() < deadline && server.exitCode === null) {
      await sleep(100)
      continue
    }
    await stop()
    throw new Error(`Restate did not start; its log is ${join(folder, 'restate.log')}`)
  }
  return { ingressUrl, adminUrl, stop }
}

async function isWell(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.ok ?? false
}

/** The program itself, because the package's own start script would come between the program and our signals. */
function serverProgram(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  const near = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'))
  return join(dirname(near.resolve(`${name}/package.json`)), 'bin', 'restate-server')
}
