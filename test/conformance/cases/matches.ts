import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { TERMINAL } from '../job-status.ts'
import { whileActive } from '../while-active.ts'

const MATCHES = '/api/segments/match'
const UNKNOWN_ID = '9223372036854775807'
const JOB_STATUSES = ['PENDING', 'READY', 'RUNNING', 'PENDING_APPROVAL', ...TERMINAL]
const MATCH_STATUSES =
  'FAILED DELIVERING WAITING APPROVED REJECTED WAITING_DELIVERY RUNNING MATCH_ENGINE_PROCESSING SUBMITTED PENDING_APPROVAL READY_FOR_MATCH RECEIVED FETCHED FINISHED RECEIVER_RUNNING AGGREGATE_MATCH_WAITING CHILD_SUBMITTED CHILD_RUNNING UPDATE_SUBMITTED UPDATE_RUNNING UNKNOWN'.split(
    ' ',
  )

export const matches: readonly ConformanceCase[] = [
  {
    decision: 70,
    name: 'matchId is a number in a match and the same digits as a string in a job',
    async run(session, expect) {
      const { matchId, jobId } = await session.sharedMatch()
      const job = await session.send(`GET /api/jobs/${jobId}`)
      expect.equal('matchId of the job', job.body.matchId, matchId)
      const match = await session.send(`GET ${MATCHES}/${matchId}`)
      const written = new RegExp(`"matchId"\\s*:\\s*${matchId}\\s*[,}]`)
      expect.that(`the match to have the number ${matchId}`, written.test(match.text), match.text.slice(0, 200))
    },
  },
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
    decision: 73,
    name: 'ids that are no numbers, signed or beyond 64 bits are a bad request',
    async run(session, expect) {
      for (const id of ['abc', '-1', '+1', '1.0', '1e3', '0x1', '9223372036854775808', '%201', '1%20']) {
        for (const target of [
          `GET ${MATCHES}/${id}`,
          `DELETE ${MATCHES}/${id}`,
          `POST ${MATCHES}/refresh/${id}`,
          `GET /api/activations/${id}`,
          `DELETE /api/activations/${id}`,
        ]) {
          expect.status(await session.send(target), 400)
        }
        const json = { shaveOffPercent: 10 }
        expect.status(await session.send(`POST ${MATCHES}/test-control/${id}`, { json }), 400)
      }
    },
  },
  {
    decision: 74,
    name: 'an unknown match is 404 on retrieve and delete, 400 on test-control and refresh',
    async run(session, expect) {
      for (const id of [UNKNOWN_ID, '9007199254740993']) {
        expect.status(await session.send(`GET ${MATCHES}/${id}`), 404)
        expect.status(await session.send(`DELETE ${MATCHES}/${id}`), 404)
        expect.status(await session.send(`POST ${MATCHES}/refresh/${id}`), 400)
        const json = { shaveOffPercent: 10 }
        expect.status(await session.send(`POST ${MATCHES}/test-control/${id}`, { json }), 400)
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
    decision: 84,
    name: 'requester=true lists the caller’s matches, and they are there without it too',
    async run(session, expect) {
      const { matchId, segment } = await session.sharedMatch()
      const name = encodeURIComponent(String(segment.request.segmentName))
      const callerId = await session.callerId()
      for (const query of ['requester=true&', '']) {
        const list = await session.send(`GET ${MATCHES}?${query}segmentName=${name}`)
        const found = expect.items(list, 'matches').find((match) => String(match.matchId) === matchId)
        expect.equal(`matchRequestor of the match for "${query}"`, found?.matchRequestor, callerId)
      }
      for (const wrong of ['yes', 'TRUE', '1', '']) {
        expect.status(await session.send(`GET ${MATCHES}?requester=${wrong}`), 400)
      }
    },
  },
  {
    decision: 84,
    name: 'the approver sees the match, but not as its requester',
    needs: ['other'],
    async run(session, expect) {
      const { matchId } = await session.match({ partnerId: session.options.other?.participantId })
      for (const [query, isThere] of [
        ['', true],
        ['?requester=true', false],
      ] as const) {
        const theirs = await session.all(`GET ${MATCHES}${query}`, 'matches', { as: 'other' })
        const found = theirs.some((match) => String(match.matchId) === matchId)
        expect.equal(`whether the approver finds the match with "${query}"`, found, isThere)
      }
    },
  },
  {
    decision: 85,
    name: 'segmentName filters exactly',
    async run(session, expect) {
      const { matchId, segment } = await session.sharedMatch()
      const name = String(segment.request.segmentName)
      for (const [wanted, expected] of [
        [name, [matchId]],
        [name.slice(0, -1), []],
        [name.toUpperCase(), []],
      ] as const) {
        const list = await session.send(`GET ${MATCHES}?segmentName=${encodeURIComponent(wanted)}`)
        const ids = expect.items(list, 'matches').map((match) => String(match.matchId))
        expect.equal(`the matches of ${wanted}`, ids, expected)
      }
    },
  },
  {
    decision: 86,
    name: 'an invalid status filter is a bad request, every valid one is taken',
    async run(session, expect) {
      expect.status(await session.send(`GET ${MATCHES}?status=DONE`), 400)
      expect.status(await session.send(`GET ${MATCHES}?status=SUCCESS`), 400)
      for (const status of MATCH_STATUSES) {
        const list = await session.send(`GET ${MATCHES}?status=${status}`)
        const found = expect.items(list, 'matches').map((match) => match.status)
        expect.that(
          `only ${status} matches`,
          found.every((each) => each === status),
          found,
        )
      }
    },
  },
  {
    decision: 87,
    name: 'a match whose job succeeded is FINISHED',
    async run(session, expect) {
      const { matchId } = await session.sharedMatch()
      const match = await session.send(`GET ${MATCHES}/${matchId}`)
      expect.equal('status', match.body.status, 'FINISHED')
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
    decision: 89,
    name: 'a match says matchRequestor and matchApprover',
    async run(session, expect) {
      const { matchId, request } = await session.sharedMatch()
      const match = await session.send(`GET ${MATCHES}/${matchId}`)
      expect.equal('matchRequestor', match.body.matchRequestor, await session.callerId())
      expect.equal('matchApprover', match.body.matchApprover, request.partnerId)
      expect.that('no matchRequester', !('matchRequester' in match.body), match.body)
    },
  },
  {
    decision: 90,
    name: 'a match has all the documented fields with their types',
    async run(session, expect) {
      const { matchId, segment } = await session.sharedMatch()
      const { body } = await session.send(`GET ${MATCHES}/${matchId}`)
      const isText = (value: unknown) => typeof value === 'string'
      const isFlag = (value: unknown) => typeof value === 'boolean'
      const isInteger = (value: unknown) => typeof value === 'bigint' || Number.isInteger(value)
      const types: Readonly<Record<string, (value: unknown) => boolean>> = {
        matchId: isInteger,
        segmentId: isText,
        segmentName: isText,
        participantSegmentId: (value) => value === null || isText(value),
        spi: isFlag,
        status: isText,
        matchRequestor: isInteger,
        matchApprover: isInteger,
        matchSignal: isText,
        matchCount: isInteger,
        shareBgIds: isFlag,
        shareSegmentName: isFlag,
        segmentOwner: (value) => value === null || isText(value),
        deliveryScope: (value) => Array.isArray(value) && value.every(isText),
        description: isText,
        files: Array.isArray,
        matchJobId: isText,
      }
      for (const [field, isOfType] of Object.entries(types)) {
        expect.that(`${field} of its documented type`, isOfType(body[field]), body[field] ?? 'nothing')
      }
      expect.equal('segmentId', body.segmentId, segment.segmentId)
      expect.equal('segmentName', body.segmentName, segment.request.segmentName)
      expect.equal('participantSegmentId', body.participantSegmentId, segment.request.participantSegmentId)
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
  {
    decision: 92,
    name: 'the approver sees the segment’s name only where it was shared',
    needs: ['other'],
    async run(session, expect) {
      const partnerId = session.options.other?.participantId
      for (const shareSegmentName of [false, true]) {
        const { matchId, segment } = await session.match({ partnerId, shareSegmentName })
        const theirs = await session.send(`GET ${MATCHES}/${matchId}`, { as: 'other' })
        expect.status(theirs, 200)
        const name = shareSegmentName ? segment.request.segmentName : ''
        expect.equal('segmentName for the approver', theirs.body.segmentName, name)
        const ours = await session.send(`GET ${MATCHES}/${matchId}`)
        expect.equal('segmentName for the requester', ours.body.segmentName, segment.request.segmentName)
      }
    },
  },
  {
    decision: 93,
    name: 'GET match/refresh is a bad request, because refresh is no number',
    async run(session, expect) {
      expect.status(await session.send(`GET ${MATCHES}/refresh`), 400)
      expect.status(await session.send(`GET ${MATCHES}/test-control`), 400)
    },
  },
]
