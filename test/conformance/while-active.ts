import { NotApplicable } from './conformance-case.ts'
import { Deviation } from './expect.ts'
import type { Answer } from './http-client.ts'
import { isTerminal } from './job-status.ts'
import type { Session } from './session.ts'

const ATTEMPTS = 3

/**
 * The answer to a request that was sent while a job was active. The job has ended since. A job that ended too soon
 * proves nothing, so everything is repeated; after three times, the case does not apply.
 */
export async function whileActive(
  session: Session,
  start: () => Promise<{ job: Answer; attempt: () => Promise<Answer> }>,
): Promise<Answer> {
  for (let count = 0; count < ATTEMPTS; count++) {
    const { job, attempt } = await start()
    if (job.status >= 300) throw new Deviation(`expected ${job.request} to start a job, got ${job.status} ${job.text}`)
    const answer = await attempt()
    const after = await session.send(`GET /api/jobs/${job.body.id}`)
    const wasActive = !isTerminal(after.body.status)
    if (!wasActive && answer.status < 300) continue
    await session.ended(job)
    return answer
  }
  throw new NotApplicable('its jobs end before another request can be sent')
}
