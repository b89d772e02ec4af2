import type { ConformanceCase } from '../conformance-case.ts'

const METADATA = { cpm: 2.5, dataOwner: 'Owner', category: 'Cars', subCategory: 'Vans', description: 'All', spi: true }

export const segments: readonly ConformanceCase[] = [
  {
    decision: 45,
    name: 'an update without segmentName is a bad request',
    async run(session, expect) {
      const { segmentId } = await session.sharedSegment()
      for (const json of [{}, { cpm: 1 }, { segmentName: null }, { segmentName: '' }]) {
        expect.status(await session.send(`PUT /api/segments/${segmentId}`, { json }), 400)
      }
    },
  },
  {
    decision: 45,
    name: 'an update leaves what it omits and clears what is null',
    async run(session, expect) {
      const { segmentId } = await session.segment(METADATA)
      const first = await session.send(`PUT /api/segments/${segmentId}`, { json: { segmentName: 'renamed' } })
      expect.status(first, 200)
      const second = await session.send(`GET /api/segments/${segmentId}`)
      expect.equal('segmentName', second.body.segmentName, 'renamed')
      for (const [field, value] of Object.entries(METADATA)) expect.equal(field, second.body[field], value)
      const json = { segmentName: 'again', cpm: null, dataOwner: null, description: null, category: 'Boats' }
      expect.status(await session.send(`PUT /api/segments/${segmentId}`, { json }), 200)
      const third = await session.send(`GET /api/segments/${segmentId}`)
      for (const field of ['cpm', 'dataOwner', 'description']) {
        expect.equal(`${field} after null`, third.body[field] ?? null, null)
      }
      expect.equal('category', third.body.category, 'Boats')
      expect.equal('subCategory', third.body.subCategory, 'Vans')
    },
  },
  {
    decision: 46,
    name: 'an update has the limits of a creation',
    async run(session, expect) {
      const { segmentId } = await session.sharedSegment()
      for (const wrong of [
        { segmentName: 'x'.repeat(101) },
        { dataOwner: 'x'.repeat(201) },
        { category: 'x'.repeat(201) },
        { subCategory: 'x'.repeat(201) },
        { description: 'x'.repeat(501) },
        { segmentName: ' ' },
        { cpm: -1 },
        { spi: 'true' },
      ]) {
        const json = { segmentName: 'renamed', ...wrong }
        expect.status(await session.send(`PUT /api/segments/${segmentId}`, { json }), 400)
      }
    },
  },
  {
    decision: 46,
    name: 'an update ignores the fields that it does not list',
    async run(session, expect) {
      const { segmentId, request } = await session.segment()
      const json = { segmentName: 'renamed', participantSegmentId: 'another', uploadSignal: 'IP', id: 'another' }
      const answer = await session.send(`PUT /api/segments/${segmentId}`, { json })
      expect.status(answer, session.options.strict ? 400 : 200)
      const segment = await session.send(`GET /api/segments/${segmentId}`)
      expect.equal('participantSegmentId', segment.body.participantSegmentId, request.participantSegmentId)
      expect.equal('uploadSignal', segment.body.uploadSignal, 'EMAIL')
    },
  },
  {
    decision: 47,
    name: 'update answers the segment; refresh and share answer a job',
    async run(session, expect) {
      const { segmentId } = await session.segment()
      const updated = await session.send(`PUT /api/segments/${segmentId}`, { json: { segmentName: 'renamed' } })
      expect.equal('id of the updated segment', updated.body.id, segmentId)
      expect.equal('segmentName of the updated segment', updated.body.segmentName, 'renamed')
      const refreshed = await session.send(`PUT /api/segments/${segmentId}/refresh`)
      expect.status(refreshed, 200)
      const job = await session.succeed(refreshed)
      expect.equal('segmentId of the refresh job', job.segmentId, segmentId)
      const partner = (await session.send('GET /api/partners?featureType=SEGMENT_SHARE')).body.partners
      const partnerId = Array.isArray(partner) ? partner[0]?.id : undefined
      if (partnerId === undefined) return
      const json = { segmentId, partnerId, shareSegmentName: false }
      const shared = await session.send('POST /api/segments/share', { json })
      expect.status(shared, 200)
      expect.text('status of the share job', shared.body.status)
      expect.status(await session.send(`GET /api/jobs/${shared.body.id}`), 200)
    },
  },
  {
    decision: 48,
    name: 'a segment shows its create-time fields',
    async run(session, expect) {
      const { segmentId, request } = await session.segment(METADATA)
      const segment = await session.send(`GET /api/segments/${segmentId}`)
      expect.status(segment, 200)
      expect.equal('id', segment.body.id, segmentId)
      for (const [field, value] of Object.entries(request)) expect.equal(field, segment.body[field], value)
    },
  },
  {
    decision: 49,
    name: 'segment ids are strings, the same in job, segment and list',
    async run(session, expect) {
      const { segmentId } = await session.sharedSegment()
      const segment = await session.send(`GET /api/segments/${segmentId}`)
      expect.equal('id of the segment', segment.body.id, segmentId)
      const list = await session.send(`GET /api/segments?id=${segmentId}`)
      const ids = expect.items(list, 'segments').map(({ id }) => id)
      expect.equal('ids in the list', ids, [segmentId])
    },
  },
  {
    decision: 50,
    name: 'an unknown segment is not found on get, update, delete and refresh',
    async run(session, expect) {
      for (const id of ['no-such-segment', '999999999999', 'ä%20b', 'x'.repeat(300)]) {
        const path = `/api/segments/${encodeURI(id)}`
        expect.status(await session.send(`GET ${path}`), 404)
        expect.status(await session.send(`PUT ${path}`, { json: { segmentName: 'renamed' } }), 404)
        expect.status(await session.send(`PUT ${path}/refresh`), 404)
        expect.status(await session.send(`DELETE ${path}`), 404)
      }
    },
  },
  {
    decision: 51,
    name: 'list filters are exact and all have to hold',
    async run(session, expect) {
      const { segmentId, request } = await session.sharedSegment()
      const own = String(request.participantSegmentId)
      const table: readonly (readonly [string, boolean])[] = [
        [`id=${segmentId}`, true],
        [`participantSegmentId=${own}`, true],
        [`participantSegmentId=${own}&id=${segmentId}&uploadSignal=EMAIL&resultContent=BGID`, true],
        [`providerId=${request.providerId}&id=${segmentId}`, true],
        [`participantSegmentId=${own.slice(0, -1)}`, false],
        [`participantSegmentId=${own.toUpperCase()}`, false],
        [`id=${segmentId}&uploadSignal=IP`, false],
        [`id=${segmentId}&resultContent=HASHED`, false],
        [`id=${segmentId}&participantSegmentId=another`, false],
        [`id=${segmentId}&providerId=2000000011`, false],
      ]
      for (const [query, found] of table) {
        const list = await session.send(`GET /api/segments?${query}`)
        const ids = expect.items(list, 'segments').map(({ id }) => id)
        expect.equal(`the segments for ${query}`, ids, found ? [segmentId] : [])
      }
    },
  },
  {
    decision: 51,
    name: 'an invalid filter is a bad request',
    async run(session, expect) {
      for (const query of ['uploadSignal=PHONE', 'resultContent=PLAIN', 'providerId=abc', 'providerId=1.5']) {
        expect.status(await session.send(`GET /api/segments?${query}`), 400)
      }
    },
  },
  {
    decision: 51,
    name: 'segments are listed in the order of their creation',
    async run(session, expect) {
      const made: string[] = []
      for (let count = 0; count < 3; count++) made.push((await session.segment()).segmentId)
      const listed = await session.all('GET /api/segments?uploadSignal=EMAIL', 'segments')
      const order = listed.map(({ id }) => String(id)).filter((id) => made.includes(id))
      expect.equal('the order of the list', order, made)
    },
  },
]
