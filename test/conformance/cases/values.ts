import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'

export const values: readonly ConformanceCase[] = [
  {
    decision: 13,
    name: 'unknown fields and query parameters are ignored, or refused by a strict service',
    async run(session, expect) {
      const { strict } = session.options
      expect.status(await session.send('GET /api/segments?colour=red'), strict ? 400 : 200)
      expect.status(await session.send('GET /api/groups?colour=red'), strict ? 400 : 200)
      const json = await session.segmentBody({ colour: 'red' })
      expect.status(await session.send('POST /api/segments', { json }), strict ? 400 : 200)
    },
  },
  {
    decision: 14,
    name: 'a value of the wrong JSON type is a bad request',
    async run(session, expect) {
      const segment = await session.segmentBody()
      const provider = segment.providerId
      for (const wrong of [
        { spi: 'true' },
        { spi: 1 },
        { cpm: '3' },
        { providerId: String(provider) },
        { providerId: 1.5 },
        { segmentName: 7 },
        { participantSegmentId: ['a'] },
        { uploadDateWithSignals: 'false' },
        { description: {} },
      ]) {
        expect.status(await session.send('POST /api/segments', { json: { ...segment, ...wrong } }), 400)
      }
    },
  },
  {
    decision: 14,
    name: 'a match and an activation refuse values of the wrong JSON type',
    async run(session, expect) {
      const match = await session.matchBody()
      for (const wrong of [
        { segmentId: 1 },
        { partnerId: String(match.partnerId) },
        { groupId: '9001' },
        { deliveryScopes: 'CABLE' },
        { deliveryScopes: [1] },
        { shareSegmentName: 'true' },
        { accessBgIds: 0 },
      ]) {
        expect.status(await session.send('POST /api/segments/match', { json: { ...match, ...wrong } }), 400)
      }
      const activation = await session.activationBody()
      for (const wrong of [{ refreshRate: '30' }, { activationName: 1 }, { segmentId: 1 }, { matchJobId: 1 }]) {
        expect.status(await session.send('POST /api/activations', { json: { ...activation, ...wrong } }), 400)
      }
    },
  },
  {
    decision: 14,
    name: '30.0 is an integer',
    async run(session, expect) {
      const body = JSON.stringify(await session.activationBody({ refreshRate: 30 }))
      const raw = body.replace('"refreshRate":30', '"refreshRate":30.0')
      expect.that('the body to say 30.0', raw.includes('30.0'))
      const answer = await session.send('POST /api/activations', {
        raw,
        headers: { 'content-type': 'application/json' },
      })
      expect.status(answer, 200)
    },
  },
  {
    decision: 14,
    name: 'a body that is not a JSON object is a bad request',
    async run(session, expect) {
      for (const raw of ['{"segmentName":', '{"a":1,}', "{'a':1}", '[]', '"text"', 'null', '7', '']) {
        for (const path of ['/api/segments', '/api/segments/match', '/api/activations', '/api/segments/share']) {
          const headers = { 'content-type': 'application/json' }
          const answer = await session.send(`POST ${path}`, { raw, headers })
          expect.equal(`the status of POST ${path} with the body ${raw || '(empty)'}`, answer.status, 400)
        }
      }
    },
  },
  {
    decision: 15,
    name: 'null for an optional field counts as absent',
    async run(session, expect) {
      const nothing = {
        cpm: null,
        dataOwner: null,
        category: null,
        subCategory: null,
        description: null,
        spi: null,
        uploadDateWithSignals: null,
      }
      const json = await session.segmentBody(nothing)
      await session.succeed(await session.send('POST /api/segments', { json }))
      const withoutProvider = await session.segmentBody()
      const answer = await session.send('POST /api/segments', { json: { ...withoutProvider, providerId: null } })
      expect.status(answer, 400)
    },
  },
  {
    decision: 15,
    name: 'null for a required field is a bad request',
    async run(session, expect) {
      const body = await session.segmentBody()
      for (const field of ['segmentFileName', 'participantSegmentId', 'segmentName', 'uploadSignal', 'resultContent']) {
        expect.status(await session.send('POST /api/segments', { json: { ...body, [field]: null } }), 400)
      }
    },
  },
  {
    decision: 16,
    name: 'enumerations are case-sensitive',
    async run(session, expect) {
      const body = await session.segmentBody()
      for (const wrong of [{ uploadSignal: 'email' }, { resultContent: 'Bgid' }]) {
        expect.status(await session.send('POST /api/segments', { json: { ...body, ...wrong } }), 400)
      }
      for (const path of [
        '/api/segments?uploadSignal=Email',
        '/api/segments/match?status=finished',
        '/api/files?uploadSignal=EMAIL&resultContent=bgid',
        '/api/groups?groupFeature=aggregated_match',
        '/api/partners?featureType=segment_match',
        '/api/integrations/integration?status=enabled&purpose=ACTIVATION',
      ]) {
        expect.status(await session.send(`GET ${path}`), 400)
      }
    },
  },
  {
    decision: 21,
    name: 'ZIPCODE is an upload signal of segments, not of files',
    async run(session, expect) {
      expect.status(await session.send('GET /api/segments?uploadSignal=ZIPCODE'), 200)
      const files = '/api/files?uploadSignal=ZIPCODE&resultContent=BGID'
      expect.status(await session.send(`GET ${files}`), 400)
      const parts = [{ name: 'file', fileName: 'zip.csv', content: '10001\n' }]
      expect.status(await session.send(`POST ${files}`, { parts }), 400)
    },
  },
  {
    decision: 22,
    name: 'the file of a ZIPCODE segment is found by its name over all signals of the same result content',
    async run(session, expect) {
      const segmentFileName = await session.upload('10001\n10002\n', { signal: 'ADDRESS' })
      const body = await session.segmentBody({ uploadSignal: 'ZIPCODE', segmentFileName })
      await session.succeed(await session.send('POST /api/segments', { json: body }))
      const elsewhere = await session.upload('10001\n', { signal: 'EMAIL', content: 'HASHED' })
      const missing = await session.segmentBody({ uploadSignal: 'ZIPCODE', segmentFileName: elsewhere })
      expect.status(await session.send('POST /api/segments', { json: missing }), 400)
    },
  },
  {
    decision: 22,
    name: 'a ZIPCODE segment whose file name is there under several signals is a bad request',
    async run(session, expect) {
      const segmentFileName = await session.upload('10001\n', { signal: 'ADDRESS' })
      await session.upload('10001\n', { signal: 'EMAIL', name: segmentFileName })
      const body = await session.segmentBody({ uploadSignal: 'ZIPCODE', segmentFileName })
      expect.status(await session.send('POST /api/segments', { json: body }), 400)
    },
  },
  {
    decision: 23,
    name: 'the partner filter signal has no ZIPCODE',
    async run(session, expect) {
      expect.status(await session.send('GET /api/partners?signal=EMAIL'), 200)
      expect.status(await session.send('GET /api/partners?signal=ZIPCODE'), 400)
    },
  },
  {
    decision: 24,
    name: 'featureType and groupFeature have a set of values each',
    async run(session, expect) {
      const files = '/api/files?uploadSignal=EMAIL&resultContent=BGID&featureType='
      const table: readonly (readonly [string, number])[] = [
        [`${files}SEGMENT_UPLOAD`, 200],
        [`${files}SEGMENT_SHARE`, 400],
        [`${files}SEGMENT_MATCH`, 400],
        ['/api/partners?featureType=SEGMENT_UPLOAD', 200],
        ['/api/partners?featureType=SEGMENT_SHARE', 200],
        ['/api/partners?featureType=SEGMENT_MATCH', 200],
        ['/api/partners?featureType=AGGREGATED_MATCH', 400],
        ['/api/groups?groupFeature=AGGREGATED_MATCH', 200],
        ['/api/groups?groupFeature=EXPOSURE_DATA_SHARE_APPROVAL', 200],
        ['/api/groups?groupFeature=SEGMENT_MATCH', 400],
      ]
      for (const [path, status] of table) expect.status(await session.send(`GET ${path}`), status)
    },
  },
  {
    decision: 25,
    name: 'a delivery scope that nobody knows is a bad request',
    async run(session, expect) {
      const body = await session.matchBody()
      for (const deliveryScopes of [['NO_SUCH_SCOPE'], ['CABLE', 'NO_SUCH_SCOPE'], ['cable'], ['']]) {
        expect.status(await session.send('POST /api/segments/match', { json: { ...body, deliveryScopes } }), 400)
      }
    },
  },
  {
    decision: 25,
    name: 'every documented delivery scope is known',
    async run(session, expect) {
      const reach = [
        'HIGH_SPEED_DATA',
        'CABLE',
        'VOD_ACTIVE',
        'VOD_CAPABLE',
        'LINEAR_ADDRESSABLE',
        'HIGH_SPEED_INTERNET',
      ]
      const deliveryScopes = [...reach, 'NONE']
      const { matchId } = await session.match({ deliveryScopes })
      const match = await session.send(`GET /api/segments/match/${matchId}`)
      expect.equal('deliveryScope', match.body.deliveryScope, deliveryScopes)
    },
  },
  {
    decision: 26,
    name: 'a custom delivery scope is requested by its value, not by its label',
    async run(session, expect) {
      const partners = await session.partners()
      const customOf = (details: unknown): { label: string; value: string } | undefined =>
        Array.isArray(details) ? details.find(({ label, value }) => label !== value) : undefined
      const partner = partners.find(({ customDeliveryScopesDetail }) => customOf(customDeliveryScopesDetail))
      const scope = customOf(partner?.customDeliveryScopesDetail)
      if (!partner || !scope) throw new NotApplicable('no partner has a custom delivery scope')
      const body = await session.matchBody({ partnerId: partner.id, deliveryScopes: [scope.label] })
      expect.status(await session.send('POST /api/segments/match', { json: body }), 400)
      const json = { ...body, deliveryScopes: [scope.value] }
      expect.status(await session.send('POST /api/segments/match', { json }), 200)
    },
  },
  {
    decision: 27,
    name: 'HIGH_SPEED_DATA and HIGH_SPEED_INTERNET stay two scopes',
    async run(session, expect) {
      for (const scope of ['HIGH_SPEED_DATA', 'HIGH_SPEED_INTERNET']) {
        const { matchId } = await session.match({ deliveryScopes: [scope] })
        const match = await session.send(`GET /api/segments/match/${matchId}`)
        expect.equal('deliveryScope', match.body.deliveryScope, [scope])
      }
    },
  },
  {
    decision: 28,
    name: 'NONE matches people with no delivery scope, and nobody that another scope reaches',
    needs: ['sample'],
    async run(session, expect) {
      const partner = await session.partner()
      const scopes = Array.isArray(partner.deliveryScopes) ? partner.deliveryScopes.map(String) : []
      if (scopes.length === 0) throw new NotApplicable('the partner has no delivery scopes')
      const { segmentId } = await session.segment()
      const counts: number[] = []
      for (const deliveryScopes of [['NONE'], scopes, ['NONE', ...scopes]]) {
        const { matchId } = await session.match({ segmentId, deliveryScopes })
        counts.push(Number((await session.send(`GET /api/segments/match/${matchId}`)).body.matchCount))
      }
      const [none = 0, some = 0, both = 0] = counts
      expect.that('somebody of the sample to be reached on a scope', some > 0, counts)
      expect.equal('the count for NONE and all scopes together', both, none + some)
    },
  },
]
