import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { bodyOf } from '../../support/body-of.ts'

interface Posted {
  readonly id: number
  body: string
  readonly who: string
}

/**
 * Replaces the next answer to requests with this method. `applied`: the request takes effect, and its answer is lost.
 */
interface Fault {
  readonly method: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly applied?: true
  readonly data?: unknown
}

export const TOKEN = 'token-of-comments-4711'
const PAGE = 100

/** The comments of pull request 7 in GitHub's form, and of merge request 7 in GitLab's form. */
export async function startForge(who = 'github-actions[bot]') {
  const comments: Posted[] = []
  const faults: Fault[] = []
  const requests: string[] = []
  let lists = Promise.resolve()
  let nextId = 1
  const add = (body: string, author = 'somebody') => comments.push({ id: nextId++, body, who: author })
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const { pathname, searchParams } = new URL(url, api)
    const isGitLab = request.headers['private-token'] === TOKEN
    const body = method === 'GET' || method === 'DELETE' ? undefined : JSON.parse(String(await bodyOf(request))).body
    requests.push(`${method} ${pathname}`)
    const send = (status: number, data: unknown, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(data))
    }
    const shown = ({ id, body: text, who: author }: Posted) =>
      isGitLab ? { id, body: text, author: { username: author } } : { id, body: text, user: { login: author } }
    const fault = faults.find((one) => one.method === method)
    if (fault) {
      faults.splice(faults.indexOf(fault), 1)
      if (!fault.applied) return send(fault.status, fault.data ?? {}, fault.headers)
    }
    const done = (status: number, data: unknown, headers?: Readonly<Record<string, string>>) =>
      fault ? send(fault.status, {}, fault.headers) : send(status, data, headers)
    if (!isGitLab && request.headers.authorization !== `Bearer ${TOKEN}`) return send(401, {})
    if (pathname === '/user') return isGitLab ? send(200, { username: who }) : send(403, {})
    const one = /^\/(?:repos\/acme\/audience\/issues\/comments|projects\/3\/merge_requests\/7\/notes)\/(\d+)$/.exec(
      pathname,
    )
    if (one) {
      const index = comments.findIndex(({ id }) => id === Number(one[1]))
      const comment = comments[index]
      if (!comment) return done(404, {})
      if (comment.who !== who) return done(403, {})
      if (method === 'DELETE') comments.splice(index, 1)
      else comment.body = body
      return done(method === 'DELETE' ? 204 : 200, method === 'DELETE' ? undefined : shown(comment))
    }
    if (!['/repos/acme/audience/issues/7/comments', '/projects/3/merge_requests/7/notes'].includes(pathname))
      return send(404, {})
    if (method === 'POST') {
      if (body.length > (isGitLab ? 1_000_000 : 65_536)) return send(422, {})
      add(body, who)
      return done(201, shown(comments.at(-1)!))
    }
    const page = Number(searchParams.get('page') ?? 1)
    const found = comments.slice((page - 1) * PAGE, page * PAGE).map(shown)
    await lists
    const link = `<${api}${pathname}?per_page=${PAGE}&page=${page + 1}>; rel="next"`
    return done(200, found, page * PAGE < comments.length ? { link } : {})
  }

  return {
    api,
    comments,
    faults,
    requests,
    add,
    /**
     * From now on, requests for lists are answered when `others` resolves, with the content of the list at the time of
     * the request.
     */
    holdLists(others: Promise<void>) {
      lists = others
    },
  }
}

/** The environment of a job for pull request 7, or merge request 7. */
export function jobEnv(api: string, { eventFile, run = 100 }: { readonly eventFile?: string; readonly run?: number }) {
  return eventFile === undefined
    ? {
        ...{ CI_API_V4_URL: api, CI_MERGE_REQUEST_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '7' },
        ...{ CI_PIPELINE_ID: String(run), CI_JOB_URL: `${api}/job` },
      }
    : {
        ...{ GITHUB_ACTIONS: 'true', GITHUB_API_URL: api, GITHUB_REPOSITORY: 'acme/audience' },
        ...{ GITHUB_RUN_ID: String(run), GITHUB_SERVER_URL: 'https://github.test', GITHUB_EVENT_PATH: eventFile },
      }
}
