import type { ConformanceCase } from '../conformance-case.ts'
import { TERMINAL } from '../job-status.ts'
import { MATCH_STATUSES } from '../match-status.ts'

const MATCHES = '/api/segments/match'
const UNKNOWN_ID = '9223372036854775807'
const _JOB_STATUSES = ['PENDING', 'READY', 'RUNNING', 'PENDING_APPROVAL', ...TERMINAL]

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
      expect.status(await session.send(`GET ${MATCHES}?requester=false`), 200)
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
