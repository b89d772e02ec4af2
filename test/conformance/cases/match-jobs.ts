import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { TERMINAL } from '../job-status.ts'
import { MATCH_STATUSES } from '../match-status.ts'
import { whileActive } from '../while-active.ts'

const MATCHES = '/api/segments/match'
const _UNKNOWN_ID = '9223372036854775807'
const JOB_STATUSES = ['PENDING', 'READY', 'RUNNING', 'PENDING_APPROVAL', ...TERMINAL]

export const matchJobs: readonly ConformanceCase[] = [
  {
    decision: 71,
    name: 'the id of the job that created a match is its matchId and first matchJobId',
    async run(session, expect) {
      const { matchId, jobId } = await session.match()
      expect.equal('matchId', matchId, jobId)
      const match = await session.send(`GET ${MATCHES}/${jobId}`)
      expect.status(match, 200)
      expect.equal('matchId of the match', String(match.body.matchId), jobId)
      expect.equal('matchJobId of the match', match.body.matchJobId, jobId)
    },
  },
  {
    decision: 72,
    name: 'an activation takes the creating job of its match, and a later one',
    async run(session, expect) {
      const { matchId, jobId, segment } = await session.match()
      await session.succeed(await session.send(`POST ${MATCHES}/refresh/${matchId}`))
      const { matchJobId } = (await session.send(`GET ${MATCHES}/${matchId}`)).body
      expect.text('matchJobId', matchJobId)
      for (const id of [jobId, matchJobId]) {
        const json = await session.activationBody({ segmentId: segment.segmentId, matchJobId: id })
        const started = await session.send('POST /api/activations', { json })
        expect.status(started, 200)
        await session.succeed(started)
      }
    },
  },
  {
    decision: 75,
    name: 'create answers 200; test-control and refresh answer 202',
    async run(session, expect) {
      const created = await session.send(`POST ${MATCHES}`, { json: await session.matchBody() })
      expect.status(created, 200)
      const { matchId } = await session.succeed(created)
      const json = { controlHoldoutPercent: 10 }
      const modified = await session.send(`POST ${MATCHES}/test-control/${matchId}`, { json })
      expect.status(modified, 202)
      await session.succeed(modified)
      const refreshed = await session.send(`POST ${MATCHES}/refresh/${matchId}`)
      expect.status(refreshed, 202)
      await session.succeed(refreshed)
    },
  },
  {
    decision: 76,
    name: 'delete of a match answers 200 with an empty body, and the match is gone',
    async run(session, expect) {
      const { matchId } = await session.match()
      const deleted = await session.send(`DELETE ${MATCHES}/${matchId}`, { headers: { accept: '*/*' } })
      expect.status(deleted, 200)
      expect.equal('the body', deleted.text, '')
      expect.status(await session.send(`GET ${MATCHES}/${matchId}`), 404)
      expect.status(await session.send(`DELETE ${MATCHES}/${matchId}`), 404)
    },
  },
  {
    decision: 77,
    name: 'the percentages of test-control are integers from 0 to 100',
    async run(session, expect) {
      const { matchId } = await session.match()
      const target = `POST ${MATCHES}/test-control/${matchId}`
      for (const wrong of [-1, 101, 1.5, '10', true]) {
        expect.status(await session.send(target, { json: { shaveOffPercent: wrong } }), 400)
        expect.status(await session.send(target, { json: { controlHoldoutPercent: wrong } }), 400)
      }
      for (const json of [{ shaveOffPercent: 0 }, { controlHoldoutPercent: 100 }]) {
        const modified = await session.send(target, { json })
        expect.status(modified, 202)
        await session.succeed(modified)
      }
    },
  },
  {
    decision: 77,
    name: 'a test-control that names no percentage is a bad request',
    async run(session, expect) {
      const { matchId } = await session.sharedMatch()
      for (const json of [{}, { shaveOffPercent: null, controlHoldoutPercent: null }]) {
        expect.status(await session.send(`POST ${MATCHES}/test-control/${matchId}`, { json }), 400)
      }
    },
  },
  {
    decision: 78,
    name: 'repeating a test-control changes nothing',
    async run(session, expect) {
      const { matchId } = await session.match()
      const json = { shaveOffPercent: 40, controlHoldoutPercent: 20 }
      const counts: unknown[] = []
      for (let count = 0; count < 2; count++) {
        await session.succeed(await session.send(`POST ${MATCHES}/test-control/${matchId}`, { json }))
        counts.push((await session.send(`GET ${MATCHES}/${matchId}`)).body.matchCount)
      }
      expect.equal('matchCount after the second time', counts[1], counts[0])
    },
  },
  {
    decision: 79,
    name: 'the percentages of test-control do nothing at create',
    async run(session, expect) {
      if (session.options.strict) throw new NotApplicable('the service is strict: it may refuse them at create')
      const plain = await session.match()
      const more = { segmentId: plain.segment.segmentId, shaveOffPercent: 100, controlHoldoutPercent: 100 }
      const split = await session.match(more)
      const [one, two] = await Promise.all(
        [plain, split].map(async ({ matchId }) => (await session.send(`GET ${MATCHES}/${matchId}`)).body.matchCount),
      )
      expect.equal('matchCount with percentages', two, one)
    },
  },
  {
    decision: 81,
    name: 'test-control and refresh are new jobs on the same match',
    async run(session, expect) {
      const { matchId, jobId } = await session.match()
      const seen = [jobId]
      for (const [path, json] of [
        [`test-control/${matchId}`, { shaveOffPercent: 10 }],
        [`refresh/${matchId}`, undefined],
      ] as const) {
        const job = await session.succeed(await session.send(`POST ${MATCHES}/${path}`, { json }))
        expect.equal('matchId of the job', job.matchId, matchId)
        expect.that('the job to be a new one', !seen.includes(String(job.id)), job.id)
        seen.push(String(job.id))
        const match = await session.send(`GET ${MATCHES}/${matchId}`)
        expect.equal('status of the match after its job', match.body.status, 'FINISHED')
        expect.equal('matchJobId of the match after its job', match.body.matchJobId, job.id)
      }
    },
  },
  {
    decision: 82,
    name: 'a match with an active job refuses test-control and refresh',
    async run(session, expect) {
      for (const [path, json] of [['test-control', { shaveOffPercent: 10 }], ['refresh'], ['create']] as const) {
        const answer = await whileActive(session, async () => {
          const body = await session.matchBody()
          const created = await session.send(`POST ${MATCHES}`, { json: body })
          if (path === 'create') return { job: created, attempt: () => session.send(`POST ${MATCHES}`, { json: body }) }
          const { matchId } = await session.succeed(created)
          const job = await session.send(`POST ${MATCHES}/refresh/${matchId}`)
          return { job, attempt: () => session.send(`POST ${MATCHES}/${path}/${matchId}`, { json }) }
        })
        expect.status(answer, 400)
      }
    },
  },
  {
    decision: 83,
    name: 'refresh of a match takes no body',
    async run(session, expect) {
      const { matchId } = await session.match()
      const refreshed = await session.send(`POST ${MATCHES}/refresh/${matchId}`, {
        headers: { 'content-type': null, 'content-length': '0' },
      })
      expect.status(refreshed, 202)
      await session.succeed(refreshed)
    },
  },
  {
    decision: 88,
    name: 'jobs and matches have statuses of their own',
    async run(session, expect) {
      const started = await session.send(`POST ${MATCHES}`, { json: await session.matchBody() })
      await session.ended(started, async ({ body }) => {
        expect.that('a job status', JOB_STATUSES.includes(String(body.status)), body.status)
        const match = await session.send(`GET ${MATCHES}/${body.id}`)
        expect.status(match, 200)
        expect.that('a match status', MATCH_STATUSES.includes(String(match.body.status)), match.body.status)
      })
    },
  },
  {
    decision: 91,
    name: 'matchCount is 0 until the match is FINISHED',
    async run(session, expect) {
      const started = await session.send(`POST ${MATCHES}`, { json: await session.matchBody() })
      let early = 0
      await session.ended(started, async ({ body }) => {
        const match = await session.send(`GET ${MATCHES}/${body.id}`)
        expect.status(match, 200)
        if (match.body.status === 'FINISHED') return
        expect.equal(`matchCount of a match that is ${match.body.status}`, match.body.matchCount, 0)
        early += 1
      })
      if (early === 0) throw new NotApplicable('its matches are finished before they can be read')
    },
  },
  {
    decision: 91,
    name: 'a finished match counts people of the sample',
    needs: ['sample'],
    async run(session, expect) {
      const { matchId } = await session.sharedMatch()
      const { matchCount } = (await session.send(`GET ${MATCHES}/${matchId}`)).body
      expect.that('matchCount to be above 0', Number(matchCount) > 0, matchCount)
      expect.that('matchCount not to be above the sample', Number(matchCount) <= 300, matchCount)
    },
  },
]
