import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'

/** Where Debian's package puts each version's programs. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

export interface Postgres {
  /** Without the database. */
  readonly url: string
  stop(): Promise<void>
}

/** A PostgreSQL of its own, on loopback, with the durability that it has by itself. */
export async function startPostgres(): Promise<Postgres> {
  const programs = findPrograms()
  const isRoot = process.getuid?.() === 0
  const data = mkdtempSync(join(tmpdir(), 'audience-bench-postgres-'))
  const [port] = await freePorts(1)
  // PostgreSQL refuses to run as root.
  if (isRoot) run('chown', ['postgres', data])
  const asItself = (program: string, args: readonly string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', join(programs, program), ...args])
      : run(join(programs, program), args)
  asItself('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C'])
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${data}`
  asItself('pg_ctl', ['-D', data, '-w', '-l', join(data, 'log'), '-o', settings, 'start'])
  return {
    url: `postgresql://bench@127.0.0.1:${port}`,
    async stop() {
      asItself('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop'])
      rmSync(data, { recursive: true })
    },
  }
}

function findPrograms(): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...(process.env.PATH ?? '').split(':'), ...versions.map((each) => join(DEBIAN_FOLDER, each, 'bin'))]
  const found = folders.find((each) => existsSync(join(each, 'initdb')))
  if (!found) throw new Error('there is no PostgreSQL here; install it first (Debian: the package postgresql)')
  return found
}

function run(program: string, args: readonly string[]): void {
  // Their output would keep a pipe open for as long as the server runs.
  const { status, error } = spawnSync(program, args, { stdio: 'ignore', cwd: '/' })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
}
