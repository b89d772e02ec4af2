import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, HttpClient, Sending } from './http-client.ts'
import { isTerminal } from './job-status.ts'
import type { SuiteOptions } from './suite-options.ts'

type As = NonNullable<Sending['as']>
type Reply = Pick<Answer, 'status' | 'text' | 'body'>
type Deletion = { readonly rank: number; readonly target: string; readonly as: As }

const CREATORS = new Set(['POST /api/segments', 'POST /api/segments/match', 'POST /api/activations'])
const MADE_BY_JOBS = [
  { rank: 1, id: 'activationId', path: '/api/activations/' },
  { rank: 2, id: 'matchId', path: '/api/segments/match/' },
  { rank: 3, id: 'segmentId', path: '/api/segments/' },
] as const
const FILE_RANK = 4
/** How long the cleanup waits for active jobs, because a thing with an active job cannot be deleted. */
const JOBS_END_WITHIN_MS = 30_000

/** Remembers what the suite creates and deletes exactly that: the service may be somebody's real one. */
export function createCreatedThings(http: HttpClient, { control }: Pick<SuiteOptions, 'control'>) {
  const jobs = new Map<string, As>()
  const files: Deletion[] = []
  const left: string[] = []

  /**
   * Waits for the job to end, and returns the thing that it made. A job that waits for an approval is cancelled if
   * there is a control API.
   */
  async function madeBy(jobId: string, as: As, deadline: number): Promise<Deletion[]> {
    let job: Reply = await http.send(`GET /api/jobs/${jobId}`, { as }).catch(unanswered)
    while (job.status === 200 && !isTerminal(job.body.status) && Date.now() < deadline) {
      if (control && job.body.status === 'PENDING_APPROVAL') {
        await http.send(`POST /jobs/${jobId}/cancel`, controlled(control)).catch(unanswered)
      }
      await sleep(50)
      job = await http.send(`GET /api/jobs/${jobId}`, { as }).catch(unanswered)
    }
    if (job.status !== 404 && !isTerminal(job.body.status)) left.push(`whatever job ${jobId} makes: ${job.text}`)
    const made = MADE_BY_JOBS.find(({ id }) => job.body[id] !== undefined)
    return made ? [{ rank: made.rank, target: `DELETE ${made.path}${job.body[made.id]}`, as }] : []
  }

  return {
    note(answer: Answer, as: As): void {
      if (answer.status >= 300) return
      const { id, name } = answer.body
      const [path, query = ''] = answer.request.split('?')
      if (path === 'POST /api/files' && typeof name === 'string') {
        files.push({ rank: FILE_RANK, target: `DELETE /api/files/${encodeURIComponent(name)}?${query}`, as })
      } else if (path !== undefined && CREATORS.has(path) && typeof id === 'string') {
        jobs.set(id, as)
      }
    },

    /** Deletes everything; returns what it could not delete, and why. */
    async remove(): Promise<string[]> {
      const deadline = Date.now() + JOBS_END_WITHIN_MS
      const made = await Promise.all([...jobs].map(([jobId, as]) => madeBy(jobId, as, deadline)))
      const deletions = [...made.flat(), ...files]
      for (const rank of [1, 2, 3, FILE_RANK]) {
        const targets = new Map(
          deletions.filter((deletion) => deletion.rank === rank).map((each) => [each.target, each]),
        )
        await Promise.all(
          [...targets.values()].map(async ({ target, as }) => {
            const answer = await http.send(target, { as }).catch(unanswered)
            if (answer.status >= 300 && answer.status !== 404) left.push(`${target}: ${answer.text}`)
          }),
        )
      }
      return left
    },
  }
}

/**
 * During the cleanup, a request without an answer counts as one more thing left behind; it does not stop the cleanup.
 */
function unanswered(error: Error): Reply {
  return { status: 599, text: error.message, body: {} }
}

/** How a request reaches the control API. */
export function controlled(control: { url: string; token: string }): Sending {
  return { baseUrl: control.url, headers: { authorization: `Bearer ${control.token}`, accept: '*/*' } }
}
