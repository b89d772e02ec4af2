import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { isTerminal } from '../job-status.ts'

export const segmentShare: readonly ConformanceCase[] = [
  {
    decision: 52,
    name: 'a shared segment is listed, without its name where the name was not shared',
    needs: ['other'],
    async run(session, expect) {
      for (const shareSegmentName of [false, true]) {
        const { segmentId, request } = await session.segment()
        const json = { segmentId, partnerId: session.options.other?.participantId, shareSegmentName }
        await session.succeed(await session.send('POST /api/segments/share', { json }))
        const theirs = await session.all('GET /api/segments', 'segments', { as: 'other' })
        const shared = theirs.find(({ id }) => id === segmentId)
        expect.that('the shared segment to be in the list of the partner', shared !== undefined)
        const name = shareSegmentName ? request.segmentName : ''
        expect.equal('its segmentName there', shared?.segmentName, name)
      }
    },
  },
  {
    decision: 57,
    name: 'match and share are routes of their own, not segment ids',
    async run(session, expect) {
      expect.items(await session.send('GET /api/segments/match'), 'matches')
      expect.status(await session.send('POST /api/segments/share', { json: {} }), 400)
      const got = await session.send('GET /api/segments/share')
      expect.status(got, 405)
      expect.text('Allow', got.headers.allow)
    },
  },
  {
    decision: 58,
    name: 'a segment is shared with its name where shareSegmentName is not given',
    needs: ['other'],
    async run(session, expect) {
      const { segmentId, request } = await session.segment()
      const json = { segmentId, partnerId: session.options.other?.participantId }
      await session.succeed(await session.send('POST /api/segments/share', { json }))
      const shared = await session.send(`GET /api/segments/${segmentId}`, { as: 'other' })
      expect.status(shared, 200)
      expect.equal('segmentName', shared.body.segmentName, request.segmentName)
    },
  },
  {
    decision: 59,
    name: 'sharing with oneself or without SEGMENT_SHARE is a bad request',
    async run(session, expect) {
      const { segmentId } = await session.sharedSegment()
      const unable = (await session.partners()).filter(
        ({ features }) => !Array.isArray(features) || features.every(({ type }) => type !== 'SEGMENT_SHARE'),
      )
      for (const partnerId of [await session.callerId(), 2_000_000_011, ...unable.map(({ id }) => id)]) {
        const json = { segmentId, partnerId, shareSegmentName: true }
        expect.status(await session.send('POST /api/segments/share', { json }), 400)
      }
      for (const json of [{ segmentId }, { partnerId: 1 }, { segmentId: 'no-such-segment', partnerId: 1 }]) {
        expect.status(await session.send('POST /api/segments/share', { json }), 400, 404)
      }
    },
  },
  {
    decision: 59,
    name: 'a share may wait for an approval, and goes on after it',
    needs: ['control'],
    async run(session, expect) {
      const { segmentId } = await session.segment()
      const able = await session.send('GET /api/partners?featureType=SEGMENT_SHARE')
      for (const { id } of expect.items(able, 'partners')) {
        const json = { segmentId, partnerId: id, shareSegmentName: true }
        const started = await session.send('POST /api/segments/share', { json })
        const { answer } = await session.endedOrWaiting(started)
        if (isTerminal(answer.body.status)) continue
        expect.status(await session.control(`POST /jobs/${answer.body.id}/approve`), 200)
        const ended = await session.ended(started)
        expect.equal('the end of an approved share', ended.answer.body.status, 'SUCCESS')
        return
      }
      throw new NotApplicable('no partner with SEGMENT_SHARE wants to approve')
    },
  },
]
