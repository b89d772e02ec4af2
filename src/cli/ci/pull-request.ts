import { readFileSync } from 'node:fs'
import type { SteadyClock } from '../../core/clock.ts'
import { allOf, callForge, type Forge, unlike } from './call-forge.ts'
import { type Comment, CommentError, type Comments } from './comments.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The facts about the current CI job. */
export interface CiJob {
  readonly isGitHub: boolean
  /** A number that grows from run to run. */
  readonly run: number
  readonly commit: string | undefined
  readonly page: string | undefined
  /** The comments of its pull request; undefined outside one. */
  comments(token: string, author: string | undefined): Comments | undefined
}

const GITHUB_MOST = 65_536
const GITLAB_MOST = 1_000_000
/** The account of the token that GitHub gives a job. Such a token is not allowed to look up its own account. */
const GITHUB_ACTIONS = 'github-actions[bot]'

export function jobOf(env: Env, clock: SteadyClock): CiJob {
  return env.GITHUB_ACTIONS === 'true' ? gitHubJob(env, clock) : gitLabJob(env, clock)
}

function gitHubJob(env: Env, clock: SteadyClock): CiJob {
  const { GITHUB_API_URL: api, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID, GITHUB_SERVER_URL: server } = env
  const { number, head } = pullRequestOf(env)
  return {
    isGitHub: true,
    run: Number(GITHUB_RUN_ID ?? 0),
    commit: head ?? env.GITHUB_SHA,
    page: server && repository && GITHUB_RUN_ID ? `${server}/${repository}/actions/runs/${GITHUB_RUN_ID}` : undefined,
    comments(token, author) {
      if (!api || !repository || number === undefined) return undefined
      const forge = {
        api,
        clock,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
        },
      }
      const list = `/repos/${repository}/issues/${number}/comments`
      const one = (id: number) => `/repos/${repository}/issues/comments/${id}`
      return commentsAt(forge, {
        list,
        one,
        most: GITHUB_MOST,
        change: 'PATCH',
        who: () => author ?? gitHubLogin(forge),
      })
    },
  }
}

function gitLabJob(env: Env, clock: SteadyClock): CiJob {
  const { CI_API_V4_URL: api, CI_MERGE_REQUEST_PROJECT_ID: project, CI_MERGE_REQUEST_IID: number } = env
  return {
    isGitHub: false,
    run: Number(env.CI_PIPELINE_ID ?? 0),
    commit: env.CI_COMMIT_SHA,
    page: env.CI_JOB_URL,
    comments(token, author) {
      if (!api || !isNumber(project) || !isNumber(number)) return undefined
      const forge = { api, clock, headers: { 'private-token': token } }
      const list = `/projects/${project}/merge_requests/${number}/notes`
      const one = (id: number) => `${list}/${id}`
      return commentsAt(forge, { list, one, most: GITLAB_MOST, change: 'PUT', who: () => author ?? gitLabLogin(forge) })
    },
  }
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^\d+$/.test(text)
}

/** The pull request of the event that started a workflow. */
function pullRequestOf({ GITHUB_EVENT_PATH }: Env): {
  readonly number?: number | undefined
  readonly head?: string | undefined
} {
  if (!GITHUB_EVENT_PATH) return {}
  const { pull_request: pull } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')) as {
    pull_request?: { number?: unknown; head?: { sha?: unknown } }
  }
  const { number, head } = pull ?? {}
  return {
    number: Number.isSafeInteger(number) ? Number(number) : undefined,
    head: typeof head?.sha === 'string' ? head.sha : undefined,
  }
}

async function gitHubLogin(forge: Forge): Promise<string> {
  try {
    const { data } = await callForge(forge, { path: '/user' })
    return String((data as { login?: unknown } | null | undefined)?.login ?? GITHUB_ACTIONS)
  } catch (error) {
    if (error instanceof CommentError && error.status === 403 && error.againAfterMs === undefined) return GITHUB_ACTIONS
    throw error
  }
}

async function gitLabLogin(forge: Forge): Promise<string> {
  const { data } = await callForge(forge, { path: '/user' })
  const username = (data as { username?: unknown } | null | undefined)?.username
  if (typeof username !== 'string') throw unlike('GET /user', 'an account')
  return username
}

/** A comment on GitHub, or a note on GitLab. */
interface Posted {
  readonly id: number
  readonly body: string
  readonly user?: { readonly login: string } | null
  readonly author?: { readonly username: string }
}

function isPosted(one: unknown): one is Posted {
  const { id, body } = (one ?? {}) as { id?: unknown; body?: unknown }
  return Number.isSafeInteger(id) && typeof body === 'string'
}

function commentsAt(
  forge: Forge,
  {
    list,
    one,
    most,
    change,
    who,
  }: {
    list: string
    one: (id: number) => string
    most: number
    change: 'PATCH' | 'PUT'
    who: () => string | Promise<string>
  },
): Comments {
  let owner: string | undefined
  return {
    most,
    async own() {
      owner ??= await who()
      const all = await allOf(forge, `${list}?per_page=100`)
      const own = all.filter(isPosted).filter(({ user, author }) => (user?.login ?? author?.username) === owner)
      return own.map(({ id, body }): Comment => ({ id, body })).sort((a, b) => a.id - b.id)
    },
    async create(body) {
      const { data } = await callForge(forge, { method: 'POST', path: list, body: { body } })
      if (!isPosted(data)) throw unlike(`POST ${list}`, 'a comment')
      const { id, user, author } = data
      // The answer names the account of the token.
      owner = user?.login ?? author?.username ?? owner
      return { id, body }
    },
    async update(id, body) {
      await callForge(forge, { method: change, path: one(id), body: { body } })
    },
    async remove(id) {
      await callForge(forge, { method: 'DELETE', path: one(id) })
    },
  }
}
