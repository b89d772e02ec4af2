import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { isTerminal } from '../job-status.ts'
import { waitingMatch } from '../waiting-match.ts'

const ORDER = ['PENDING', 'PENDING_APPROVAL', 'READY', 'RUNNING', 'terminal']

export const jobs: readonly ConformanceCase[] = [
  {
    decision: 74,
    name: 'an unknown job is not found',
    async run(session, expect) {
      for (const id of ['no-such-job', '9223372036854775807']) {
        expect.status(await session.send(`GET /api/jobs/${id}`), 404)
      }
    },
  },
  {
    decision: 123,
    name: 'a terminal status stays',
    async run(session, expect) {
      const { jobId } = await session.sharedSegment()
      for (let look = 0; look < 3; look++) {
        const job = await session.send(`GET /api/jobs/${jobId}`)
        expect.equal('status', job.body.status, 'SUCCESS')
      }
    },
  },
  {
    decision: 124,
    name: 'a job goes PENDING, PENDING_APPROVAL where it has to, READY, RUNNING and ends',
    async run(session, expect) {
      const segment = await session.send('POST /api/segments', { json: await session.segmentBody() })
      expect.equal('the first status', segment.body.status, 'PENDING')
      const match = await session.send('POST /api/segments/match', { json: await session.matchBody() })
      for (const started of [segment, match]) {
        const { statuses } = await session.ended(started)
        const places = statuses.map((status) => ORDER.indexOf(isTerminal(status) ? 'terminal' : status))
        expect.that('only documented statuses', !places.includes(-1), statuses)
        const isForward = places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1))
        expect.that('statuses in the documented order', isForward, statuses)
      }
    },
  },
  {
    decision: 126,
    name: 'there is no endpoint to list, cancel or approve jobs',
    async run(session, expect) {
      const { jobId } = await session.sharedSegment()
      expect.status(await session.send('GET /api/jobs'), 404)
      expect.status(await session.send(`DELETE /api/jobs/${jobId}`), 405)
      for (const action of ['cancel', 'approve', 'reject']) {
        expect.status(await session.send(`POST /api/jobs/${jobId}/${action}`), 404)
      }
    },
  },
  {
    decision: 126,
    name: 'the control API rejects and cancels a job that waits for an approval',
    needs: ['control'],
    async run(session, expect) {
      for (const [action, end] of [
        ['reject', 'REJECTED'],
        ['cancel', 'CANCELLED'],
      ] as const) {
        const { matchJobId } = await waitingMatch(session)
        expect.status(await session.control(`POST /jobs/${matchJobId}/${action}`), 200)
        const { answer } = await session.ended(await session.send(`GET /api/jobs/${matchJobId}`))
        expect.equal(`the status after ${action}`, answer.body.status, end)
      }
    },
  },
  {
    decision: 87,
    name: 'a match whose approval was rejected is REJECTED',
    needs: ['control'],
    async run(session, expect) {
      const { matchJobId } = await waitingMatch(session)
      const waiting = await session.send(`GET /api/segments/match/${matchJobId}`)
      expect.equal('the status while it waits', waiting.body.status, 'PENDING_APPROVAL')
      expect.status(await session.control(`POST /jobs/${matchJobId}/reject`), 200)
      await session.ended(await session.send(`GET /api/jobs/${matchJobId}`))
      const match = await session.send(`GET /api/segments/match/${matchJobId}`)
      expect.equal('the status after the rejection', match.body.status, 'REJECTED')
    },
  },
  {
    decision: 129,
    name: 'ids that do not apply to a job are left out',
    async run(session, expect) {
      const segment = await session.sharedSegment()
      const match = await session.sharedMatch()
      for (const [jobId, absent] of [
        [segment.jobId, ['matchId', 'activationId']],
        [match.jobId, ['activationId']],
      ] as const) {
        const job = await session.send(`GET /api/jobs/${jobId}`)
        expect.status(job, 200)
        for (const id of absent) expect.that(`the job to have no ${id}`, !(id in job.body), job.body)
      }
    },
  },
  {
    decision: 113,
    name: 'a file without a single valid key does not make a job that never ends',
    async run(session, expect) {
      const segmentFileName = await session.upload('no e-mail at all\nneither this\n')
      const started = await session.send('POST /api/segments', { json: await session.segmentBody({ segmentFileName }) })
      if (started.status === 400) throw new NotApplicable('it reads files at create')
      const { answer } = await session.ended(started)
      expect.that('the job to end', isTerminal(answer.body.status), answer.body)
    },
  },
]
