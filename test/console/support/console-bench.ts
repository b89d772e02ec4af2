import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markShared } from '../../../src/platform/shared-folder.ts'
import { type Audience, type Ended, spawnAudience, untilOutput } from '../../support/audience.ts'
import { commandLine } from '../../support/command-line.ts'
import { kill, type Project, projectIn } from '../../support/daemon.ts'
import { createDatabase } from '../../support/postgres.ts'
import { expectFits } from './fits-schema.ts'

export const TOKENS = {
  viewer: 'token-of-the-viewer-1',
  operator: 'token-of-the-operator-1',
  approver: 'token-of-the-approver-1',
} as const
type RoleName = keyof typeof TOKENS

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, if it is JSON. */
  readonly body: Record<string, unknown>
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly text?: string
}

export interface ConsoleBench {
  readonly project: Project
  readonly daemon: Audience
  /** One for each worker; `daemon` is the first. */
  readonly daemons: readonly Audience[]
  /** The address of the console, with its path. */
  readonly url: string
  /** One for each worker; `url` is the first. */
  readonly urls: readonly string[]
  /** A request to a path below the console, with exactly these headers. Each request goes to the next worker. */
  ask(path: string, asked?: Asked): Promise<Answered>
  /** A request from a program to the API. */
  as(role: RoleName, path: string, asked?: Asked): Promise<Answered>
  /** A POST from a program to the API. */
  post(role: RoleName, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>
  /** A request from a page of the console, in a browser that has a session. */
  browse(path: string, asked?: Asked): Promise<Answered>
  /** Runs a command on its state. */
  command(...args: readonly string[]): Promise<Ended>
  /** Kills the daemon. Removes the project unless the caller gave it. */
  stop(): Promise<void>
}

/**
 * `audience start` with a console, in a project with these documents. `workers` is the number of workers on a new
 * database.
 */
export async function startConsoleBench(
  documents: Readonly<Record<string, string>>,
  options: {
    readonly config?: string
    readonly folder?: string
    readonly port?: number
    readonly workers?: number
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Promise<ConsoleBench> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'audience-console-'))
  mkdirSync(join(folder, 'pipelines'), { recursive: true })
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, 'pipelines', name), text)
  const tokens = (Object.keys(TOKENS) as RoleName[]).map(
    (role) => `    - { name: the ${role}, role: ${role}, tokenEnv: ${role.toUpperCase()}_TOKEN }`,
  )
  writeFileSync(
    join(folder, 'audience.yaml'),
    ['state: state', 'console:', '  tokens:', ...tokens, options.config ?? '', ''].join('\n'),
  )
  const own = Object.fromEntries(Object.entries(TOKENS).map(([role, token]) => [`${role.toUpperCase()}_TOKEN`, token]))
  const env = { ...options.env, ...own }
  const database = options.workers === undefined ? undefined : await createDatabase()
  if (database) markShared(folder)
  const project = projectIn(folder, env, database?.url)
  const args = ['start', '--port', '0', '--console-port', String(options.port ?? 0), '--json', '--log-level', 'warn']
  const daemons = Array.from({ length: options.workers ?? 1 }, () => spawnAudience(args, project.options))
  const urls = await Promise.all(daemons.map(consoleOf))
  const [daemon, url] = [daemons[0]!, urls[0]!]
  const command = (...more: readonly string[]) => commandLine(more, project.options)
  let session: SessionHeaders | undefined
  let asks = 0
  const ask = (path: string, asked?: Asked) => send(new URL(path, urls[asks++ % urls.length]), asked)
  const as = async (role: RoleName, path: string, { headers, ...asked }: Asked = {}) => {
    const own = { authorization: `Bearer ${TOKENS[role]}` }
    const answered = await ask(`api/v1/${path}`, { ...asked, headers: { ...own, ...headers } })
    if (answered.status === 200) expectFits(asked.method ?? 'GET', path, answered.body)
    return answered
  }
  return {
    ...{ project, daemon, daemons, url, urls, ask, as, command },
    post: (role, path, json = {}, headers = {}) => as(role, path, { method: 'POST', json, headers }),
    async browse(path, { headers, ...asked } = {}) {
      session ??= await sessionOf({ url, command })
      const own = { ...session, 'sec-fetch-site': 'same-origin', 'x-audience-console': '1' }
      return ask(`api/v1/${path}`, { ...asked, headers: { ...own, ...headers } })
    },
    async stop() {
      await Promise.all(daemons.map((each) => kill(each)))
      await database?.remove()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The address of the daemon's console, as soon as it is ready. */
async function consoleOf(daemon: Audience): Promise<string> {
  const [line = ''] = (await untilOutput(daemon, /\n/)).split('\n')
  return (JSON.parse(line) as { console: string }).console
}

/** A new one-time URL from `audience console`, for a console at this address. */
export async function linkOf({ url, command }: Pick<ConsoleBench, 'url' | 'command'>): Promise<URL> {
  const { out } = await command('console', '--json')
  return new URL(`login${new URL((JSON.parse(out) as { url: string }).url).search}`, url)
}

/** The two halves of a session, as a page of the console sends them. */
export type SessionHeaders = Readonly<Record<'cookie' | 'x-audience-session', string>>

/** A new session, from a one-time URL. */
export async function sessionOf(console: Pick<ConsoleBench, 'url' | 'command'>): Promise<SessionHeaders> {
  return sessionAt(await linkOf(console))
}

/** Signs in with a link, as a browser does. */
export async function sessionAt(link: URL): Promise<SessionHeaders> {
  const { headers, text } = await send(link)
  const half = /#session=([\w-]+)"/.exec(text)?.[1] ?? ''
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', 'x-audience-session': half }
}

export function send(url: URL, { method = 'GET', headers = {}, json, text }: Asked = {}): Promise<Answered> {
  const body = json === undefined ? text : JSON.stringify(json)
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent: false, headers: { ...type, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString()
        const isJson = String(response.headers['content-type']).startsWith('application/json') && answer !== ''
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: answer,
          body: isJson ? (JSON.parse(answer) as Record<string, unknown>) : {},
        })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
