import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bodyOf } from './body-of.ts'
import { GIT_ENV } from './git-env.ts'
import { shell } from './shell.ts'
import { tempFolder } from './temp-folder.ts'

/** A repository to commit to, and its bare copy, which is all that the daemon sees. */
export function upstream(whenEnded?: Parameters<typeof tempFolder>[0]) {
  const work = tempFolder(whenEnded)
  const bare = join(tempFolder(whenEnded), 'pipelines.git')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, ...args], { env: GIT_ENV, encoding: 'utf8' }).trim()
  const inWork = (script: string, ...args: string[]) => shell(script, { cwd: work, env: GIT_ENV, args })
  inWork('git init -q -b main; git init -q --bare -b main "$1"', bare)
  const push = (...what: string[]) => git('push', '--quiet', '--force', bare, ...what)
  return {
    work,
    bare,
    url: `file://${bare}`,
    git,
    push,
    /** Writes, removes (null), commits and pushes; returns the commit. */
    commit(texts: Readonly<Record<string, string | Buffer | null>>, subject = 'pipelines'): string {
      for (const [name, text] of Object.entries(texts)) {
        if (text === null) git('rm', '--quiet', '-r', name)
        else {
          mkdirSync(join(work, name, '..'), { recursive: true })
          writeFileSync(join(work, name), text)
        }
      }
      return inWork(
        'git add --all --force; git commit -q --allow-empty -m "$1"; git push -qf "$2" HEAD:main; git rev-parse HEAD',
        ...[subject, bare],
      )
    },
  }
}

/** What the server answers. */
type Mood = 'git' | 'login' | 'busy' | 'redirect' | 'hang' | 'stall'

/**
 * A bare repository over HTTP: git's own program, behind a server that requires a token and can fail in several ways.
 */
export async function gitServer(bare: string, token: string) {
  const state: { mood: Mood; token: string; requests: number; stalled: number } = {
    ...{ mood: 'git', token, requests: 0, stalled: 0 },
  }
  const server = createServer(async (request, response) => {
    state.requests += 1
    if (state.mood === 'hang') return
    if (state.mood === 'busy') return void response.writeHead(503).end('busy')
    if (state.mood === 'redirect') return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    if (state.mood === 'login') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    const [, sent = ''] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? []
    const [, password] = Buffer.from(sent, 'base64').toString('utf8').split(':')
    if (password !== state.token)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no')
    const body = await bodyOf(request)
    // It lists its refs, and begins to send a commit but never finishes.
    if (state.mood === 'stall' && body?.includes('command=fetch')) {
      state.stalled += 1
      return void response
        .writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
        .write('000dpackfile\n')
    }
    backend(bare, request, body, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(state, { url: `http://127.0.0.1:${port}/pipelines.git` })
}

/** Answers one request through CGI. */
function backend(bare: string, request: IncomingMessage, body: Buffer | undefined, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const child = spawn('git', ['http-backend'], {
    env: {
      ...GIT_ENV,
      GIT_PROJECT_ROOT: join(bare, '..'),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'a',
    },
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(body)
  let head = Buffer.alloc(0)
  let hasHead = false
  child.stdout.on('data', (piece: Buffer) => {
    if (hasHead) return void response.write(piece)
    head = Buffer.concat([head, piece])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    hasHead = true
    const headers = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string])
    const status = headers.find(([name]) => name === 'Status')
    response.writeHead(
      status ? Number.parseInt(status[1], 10) : 200,
      headers.filter(([name]) => name !== 'Status').flat(),
    )
    response.write(head.subarray(end + 4))
  })
  child.stdout.on('end', () => response.end())
}
