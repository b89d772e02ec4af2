import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** Where Debian's package puts the programs of each version. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** A file in the folder that all processes of the tests share: it says where the shared PostgreSQL is. */
export const CLUSTER_FOLDER = 'postgres'

export interface Postgres {
  /** The URL without the database. */
  readonly url: string
  /** Its folder. */
  readonly data: string
}

/**
 * A new PostgreSQL on loopback, with its default durability unless the settings say otherwise. It stores its data in a
 * new folder below the given one.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  below = tmpdir(),
): Promise<Postgres> {
  const data = ownFolder(below)
  asItself('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  return startAnywhere(data, settings)
}

/**
 * A standby of the given primary. If the primary waits for the standby, everything that is committed on the primary is
 * also on the standby.
 */
export async function startStandby(primary: Postgres): Promise<Postgres> {
  const data = ownFolder(tmpdir())
  asItself('pg_basebackup', ['-D', data, '-d', primary.url, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'])
  return startAnywhere(data, { fsync: 'off' })
}

/** Makes a standby the primary. */
export function promotePostgres({ data }: Postgres): void {
  asItself('pg_ctl', ['-D', data, '-w', 'promote'])
}

/** In a folder that another user may enter, unlike most folders of the tests. */
function ownFolder(below: string): string {
  const data = mkdtempSync(join(below, 'audience-postgres-'))
  // PostgreSQL refuses to run as root.
  if (isRoot()) run('chown', ['postgres', data])
  return data
}

async function startAnywhere(data: string, settings: Readonly<Record<string, string>>): Promise<Postgres> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      start(data, { port: String(port), ...settings })
      return { url: `postgresql://bench@127.0.0.1:${port}`, data }
    } catch (error) {
      // Meanwhile, another process may have taken the port.
      if (attempt === 3) throw error
    }
  }
}

/** Kills it, and starts it again with the same data and port after the given time. */
export async function crashPostgres({ url, data }: Postgres, awayMs: number): Promise<void> {
  asItself('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop'])
  await setTimeout(awayMs)
  start(data, { port: new URL(url).port })
}

/** Stops it and removes its data. */
export function stopPostgres(data: string, mode: 'fast' | 'immediate' = 'fast'): void {
  asItself('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop'])
  rmSync(data, { recursive: true })
}

/** Whether PostgreSQL is installed. */
export function hasPostgres(): boolean {
  return findPrograms() !== undefined
}

function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((each) => join(DEBIAN_FOLDER, each, 'bin')), ...(process.env.PATH ?? '').split(':')]
  return folders.find((each) => existsSync(join(each, 'initdb')) && existsSync(join(each, 'pg_ctl')))
}

function start(data: string, settings: Readonly<Record<string, string>>): void {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: data, ...settings }
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)
  asItself('pg_ctl', ['-D', data, '-w', '-l', join(data, 'log'), '-o', options.join(' '), 'start'])
}

function asItself(program: string, args: readonly string[]): void {
  const programs = findPrograms()
  if (programs === undefined)
    throw new Error('there is no PostgreSQL here; install it first (Debian: the package postgresql)')
  if (isRoot()) run('runuser', ['-u', 'postgres', '--', join(programs, program), ...args])
  else run(join(programs, program), args)
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function run(program: string, args: readonly string[]): void {
  // Their output would keep a pipe open for as long as the server runs.
  const { status, error } = spawnSync(program, args, { stdio: 'ignore', cwd: '/' })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
}
