import { isJsonObject, type JsonObject } from '../../../src/core/json.ts'
import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import type { Session } from '../session.ts'

const CREATE = 'POST /api/segments/match'

export const matchCreate: readonly ConformanceCase[] = [
  {
    decision: 60,
    name: 'a match needs a partner or a group',
    async run(session, expect) {
      const { partnerId: _, ...json } = await session.matchBody()
      expect.status(await session.send(CREATE, { json }), 400)
      expect.status(await session.send(CREATE, { json: { ...json, partnerId: null, groupId: null } }), 400)
    },
  },
  {
    decision: 60,
    name: 'a group and one of its members is a group match',
    async run(session, expect) {
      const group = await session.group()
      const partners = await session.partners()
      const member = partners.find(({ id }) => membersOf(group).includes(id))
      if (!member) throw new NotApplicable('no partner is a member of the group')
      const both = await session.match({ groupId: group.groupId, partnerId: member.id, deliveryScopes: ['CABLE'] })
      const alone = await session.match({
        groupId: group.groupId,
        deliveryScopes: ['CABLE'],
        segmentId: both.segment.segmentId,
      })
      const [one, two] = await Promise.all([both, alone].map(({ matchId }) => matchOf(session, matchId)))
      expect.equal('matchCount with the member named', one?.matchCount, two?.matchCount)
    },
  },
  {
    decision: 60,
    name: 'a group and a partner outside it is a bad request',
    async run(session, expect) {
      const group = await session.group()
      const outsider = (await session.partners()).find(({ id }) => !membersOf(group).includes(id))
      if (!outsider) throw new NotApplicable('every partner is a member of the group')
      const json = await session.matchBody({
        groupId: group.groupId,
        partnerId: outsider.id,
        deliveryScopes: ['CABLE'],
      })
      expect.status(await session.send(CREATE, { json }), 400)
    },
  },
  {
    decision: 61,
    name: 'matching an unknown segment is a bad request',
    async run(session, expect) {
      const json = await session.matchBody({ segmentId: 'no-such-segment' })
      expect.status(await session.send(CREATE, { json }), 400)
    },
  },
  {
    decision: 62,
    name: 'deliveryScopes is required and not empty',
    async run(session, expect) {
      const body = await session.matchBody()
      for (const deliveryScopes of [undefined, null, []]) {
        expect.status(await session.send(CREATE, { json: { ...body, deliveryScopes } }), 400)
      }
    },
  },
  {
    decision: 63,
    name: 'a request says deliveryScopes, a match says deliveryScope',
    async run(session, expect) {
      const { matchId, request } = await session.sharedMatch()
      const match = await matchOf(session, matchId)
      expect.equal('deliveryScope', match.deliveryScope, request.deliveryScopes)
      expect.that('a match to have no deliveryScopes', !('deliveryScopes' in match), match)
      const { deliveryScopes, ...rest } = await session.matchBody()
      expect.status(await session.send(CREATE, { json: { ...rest, deliveryScope: deliveryScopes } }), 400)
    },
  },
  {
    decision: 64,
    name: 'accessBgIds of the request is shareBgIds of the match',
    async run(session, expect) {
      const { matchId } = await session.match({ accessBgIds: false, shareSegmentName: false })
      const match = await matchOf(session, matchId)
      expect.equal('shareBgIds', match.shareBgIds, false)
      expect.that('a match to have no accessBgIds', !('accessBgIds' in match), match)
    },
  },
  {
    decision: 65,
    name: 'both sharing flags are true where they are not given',
    async run(session, expect) {
      const { matchId, request } = await session.sharedMatch()
      expect.that('the request to name no flag', !('accessBgIds' in request) && !('shareSegmentName' in request))
      const match = await matchOf(session, matchId)
      expect.equal('shareBgIds', match.shareBgIds, true)
      expect.equal('shareSegmentName', match.shareSegmentName, true)
    },
  },
  {
    decision: 66,
    name: 'returnUnmatchedBgIds is an optional boolean',
    async run(session, expect) {
      const body = await session.matchBody()
      expect.status(await session.send(CREATE, { json: { ...body, returnUnmatchedBgIds: 'true' } }), 400)
      await session.succeed(await session.send(CREATE, { json: { ...body, returnUnmatchedBgIds: true } }))
    },
  },
  {
    decision: 67,
    name: 'spi of a match is that of its segment where it is not given',
    async run(session, expect) {
      const { segmentId } = await session.segment({ spi: true })
      const inherited = await session.match({ segmentId })
      expect.equal('spi of the match', (await matchOf(session, inherited.matchId)).spi, true)
      const given = await session.match({ spi: true })
      expect.equal('spi of a match that asked for it', (await matchOf(session, given.matchId)).spi, true)
    },
  },
  {
    decision: 68,
    name: 'a group id beyond 2^53 is exact in both directions',
    async run(session, expect) {
      const groupId = (await session.groups()).map((group) => group.groupId).find((id) => typeof id === 'bigint')
      if (groupId === undefined) throw new NotApplicable('no group has an id beyond 2^53')
      const got = await session.send(`GET /api/groups/${groupId}`)
      expect.status(got, 200)
      const written = new RegExp(`"groupId"\\s*:\\s*${groupId}\\s*[,}]`)
      expect.that(`the body to have the number ${groupId}`, written.test(got.text), got.text.slice(0, 200))
      expect.status(await session.send(`GET /api/groups/${BigInt(Number(groupId))}`), 404)
      const json = await session.matchBody({ groupId, deliveryScopes: ['CABLE'] })
      const rounded = { ...json, groupId: BigInt(Number(groupId)) }
      expect.status(await session.send(CREATE, { json: rounded }), 400)
      await session.succeed(await session.send(CREATE, { json }))
    },
  },
  {
    decision: 68,
    name: 'partnerId has 32 bits, groupId has 64',
    async run(session, expect) {
      const body = await session.matchBody()
      for (const wrong of [{ partnerId: 2_147_483_648 }, { groupId: 9_223_372_036_854_775_808n }, { groupId: -1 }]) {
        expect.status(await session.send(CREATE, { json: { ...body, ...wrong } }), 400)
      }
    },
  },
  {
    decision: 69,
    name: 'segment, signal, group and group signal matches all finish',
    async run(session, expect) {
      const { groupId } = await session.group()
      const [bgid, hashed] = await Promise.all([session.segment(), session.segment({ resultContent: 'HASHED' })])
      for (const { segmentId } of [bgid, hashed]) {
        for (const more of [{}, { groupId, deliveryScopes: ['CABLE'] }]) {
          const { matchId } = await session.match({ segmentId, ...more })
          const match = await matchOf(session, matchId)
          expect.equal('status of the match', match.status, 'FINISHED')
          expect.equal('matchSignal', match.matchSignal, 'EMAIL')
        }
      }
    },
  },
  {
    decision: 69,
    name: 'a signal match finds people of the sample',
    needs: ['sample'],
    async run(session, expect) {
      const { segmentId } = await session.segment({ resultContent: 'HASHED' })
      const { matchId } = await session.match({ segmentId })
      const { matchCount } = await matchOf(session, matchId)
      expect.that('somebody to be matched', Number(matchCount) > 0, matchCount)
    },
  },
  {
    decision: 119,
    name: 'matching a group needs its feature AGGREGATED_MATCH',
    async run(session, expect) {
      const group = (await session.groups()).find(({ features }) => {
        return Array.isArray(features) && !features.includes('AGGREGATED_MATCH')
      })
      if (!group) throw new NotApplicable('every group has AGGREGATED_MATCH')
      const json = await session.matchBody({ groupId: group.groupId, deliveryScopes: ['CABLE'] })
      expect.status(await session.send(CREATE, { json }), 400)
    },
  },
  {
    decision: 119,
    name: 'matching a group that is not there is a bad request',
    async run(session, expect) {
      const json = await session.matchBody({ groupId: 9_223_372_036_854_775_807n, deliveryScopes: ['CABLE'] })
      expect.status(await session.send(CREATE, { json }), 400)
    },
  },
]

async function matchOf(session: Session, matchId: string): Promise<JsonObject> {
  return (await session.send(`GET /api/segments/match/${matchId}`)).body
}

function membersOf({ groupMembers }: JsonObject): readonly unknown[] {
  return Array.isArray(groupMembers) ? groupMembers.filter((member) => !isJsonObject(member)) : []
}
