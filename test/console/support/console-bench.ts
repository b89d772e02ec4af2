import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Audience, spawnAudience, untilOutput } from '../../support/audience.ts'
import { kill, type Project, projectIn } from '../../support/daemon.ts'
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
  /** With its path. */
  readonly url: string
  /** A request to a path below the console, with exactly these headers. */
  ask(path: string, asked?: Asked): Promise<Answered>
  /** A request of a program to the API. */
  as(role: RoleName, path: string, asked?: Asked): Promise<Answered>
  /** A POST of a program to the API. */
  post(role: RoleName, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>
  /** A request of a browser with a session, from a page of the console. */
  browse(path: string, asked?: Asked): Promise<Answered>
  command(...args: readonly string[]): Audience['ended']
  /** Kills the daemon, and removes the project unless it was given. */
  stop(): Promise<void>
}

/** `audience start` with a console of its own, in a project with these documents. */
export async function startConsoleBench(
  documents: Readonly<Record<string, string>>,
  options: { readonly config?: string; readonly folder?: string; readonly port?: number } = {},
): Promise<ConsoleBench> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'audience-console-'))
  mkdirSync(join(folder, 'pipelines'), { recursive: true })
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, 'pipelines', name), text)
  const tokens = (Object.keys(TOKENS) as RoleName[]).map(
    (role) => `    - { name: the ${role}, role: ${role}, tokenEnv: ${role.toUpperCase()}_TOKEN }`,
  )
  writeFileSync(
    join(folder, 'audience.yaml'),
    ['console:', '  tokens:', ...tokens, options.config ?? '', ''].join('\n'),
  )
  const env = Object.fromEntries(Object.entries(TOKENS).map(([role, token]) => [`${role.toUpperCase()}_TOKEN`, token]))
  const project = projectIn(folder, env)
  const args = ['start', '--port', '0', '--console-port', String(options.port ?? 0), '--json', '--log-level', 'warn']
  const daemon = spawnAudience(args, project.options)
  const [line = ''] = (await untilOutput(daemon, /\n/)).split('\n')
  const { console: url } = JSON.parse(line) as { console: string }
  const command = (...more: readonly string[]) => spawnAudience(more, project.options).ended
  let cookie: string | undefined
  const ask = (path: string, asked?: Asked) => send(new URL(path, url), asked)
  const as = async (role: RoleName, path: string, { headers, ...asked }: Asked = {}) => {
    const own = { authorization: `Bearer ${TOKENS[role]}` }
    const answered = await ask(`api/v1/${path}`, { ...asked, headers: { ...own, ...headers } })
    if (answered.status === 200) expectFits(asked.method ?? 'GET', path, answered.body)
    return answered
  }
  return {
    ...{ project, daemon, url, ask, as, command },
    post: (role, path, json = {}, headers = {}) => as(role, path, { method: 'POST', json, headers }),
    async browse(path, { headers, ...asked } = {}) {
      cookie ??= await sessionOf(url, command)
      const own = { cookie, 'sec-fetch-site': 'same-origin', 'x-audience-console': '1' }
      return ask(`api/v1/${path}`, { ...asked, headers: { ...own, ...headers } })
    },
    async stop() {
      await kill(daemon)
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The cookie of a new session, from a one-time URL of `audience console`. */
export async function sessionOf(url: string, command: ConsoleBench['command']): Promise<string> {
  const { out } = await command('console', '--json')
  const link = new URL((JSON.parse(out) as { url: string }).url)
  const local = new URL(url)
  const { headers } = await send(new URL(`login${link.search}`, local))
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
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
