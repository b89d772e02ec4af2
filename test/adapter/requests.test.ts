import { expect, test } from 'vitest'
import { scriptedServer } from './scripted-server.ts'
import { TOKEN, testClient } from './test-client.ts'

const VENDOR = 'application/vnd.service.v1+json'
const SEGMENT = {
  segmentFileName: 'a.csv',
  participantSegmentId: 'a',
  segmentName: 'A',
  uploadSignal: 'EMAIL',
  resultContent: 'BGID',
  providerId: 1001,
} as const
const JOB = { id: '7', status: 'PENDING', segmentName: 'A' }

/** Sends one request and returns how it arrived. */
async function arrival(call: (api: ReturnType<typeof testClient>['api']) => Promise<unknown>, json: unknown = JOB) {
  await using server = await scriptedServer(({ method }) => (method === 'DELETE' ? {} : { json }))
  await using client = testClient(server.url)
  await call(client.api)
  expect(server.seen).toHaveLength(1)
  return server.seen[0]!
}

test.each([
  ['segments.create', 'POST', '/api/segments', SEGMENT],
  ['segments.get', 'GET', '/api/segments/a%2Fb%20c%3F', { id: 'a/b c?' }],
  [
    'segments.list',
    'GET',
    '/api/segments?uploadSignal=ZIPCODE&page=0&pageSize=10',
    { pageSize: 10, page: 0, uploadSignal: 'ZIPCODE' },
  ],
  ['segments.share', 'POST', '/api/segments/share', { segmentId: 's', partnerId: 5 }],
  ['matches.list', 'GET', '/api/segments/match?segmentName=a%26b', { requester: false, segmentName: 'a&b' }],
  ['matches.list', 'GET', '/api/segments/match?requester=true', { requester: true }],
  ['matches.get', 'GET', '/api/segments/match/9007199254740993', { matchId: '9007199254740993' }],
  ['activations.list', 'GET', '/api/activations/activations', {}],
  [
    'files.delete',
    'DELETE',
    '/api/files/x%20y.csv?uploadSignal=IP&resultContent=BGID',
    { file: 'x y.csv', uploadSignal: 'IP', resultContent: 'BGID' },
  ],
  ['groups.list', 'GET', '/api/groups?groupFeature=AGGREGATED_MATCH', { groupFeature: 'AGGREGATED_MATCH' }],
] as const)(
  '%s goes as %s to %s, below the prefix of the base URL (decisions 1, 2, 49, 84, 89)',
  async (id, method, path, input) => {
    const answer = {
      ...JOB,
      ...('id' in input && { id: input.id }),
      matchId: 1,
      segments: [],
      matches: [],
      activations: [],
      group: [],
    }
    const seen = await arrival((api) => api.untyped.call(id, input), answer)
    expect([seen.method, seen.url]).toEqual([method, `/p/1001${path}`])
    expect(seen.headers.authorization).toBe(`Bearer ${TOKEN}`)
  },
)

test.each([
  ['segments.delete', '*/*', { id: '1' }],
  ['matches.delete', '*/*', { matchId: '1' }],
  ['activations.delete', '*/*', { id: '1' }],
  ['files.delete', VENDOR, { file: 'a', uploadSignal: 'IP', resultContent: 'BGID' }],
  ['jobs.get', VENDOR, { jobId: JOB.id }],
] as const)('%s accepts %s (decisions 3, 4)', async (id, accept, input) => {
  expect((await arrival((api) => api.untyped.call(id, input))).headers.accept).toBe(accept)
})

test('a body is JSON with exact 64-bit ids, and a content type only where there is one (decisions 7, 68)', async () => {
  const match = { segmentId: 's', groupId: '9007199254740993', deliveryScopes: ['CABLE'], accessBgIds: false }
  const create = await arrival((api) => api.matches.create(match))
  expect(create.body).toBe(
    '{"segmentId":"s","groupId":9007199254740993,"deliveryScopes":["CABLE"],"accessBgIds":false}',
  )
  expect(create.headers['content-type']).toBe('application/json')

  const refresh = await arrival((api) => api.matches.refresh({ matchId: '1' }))
  expect([refresh.body, refresh.headers['content-type']]).toEqual(['', undefined])
  const again = await arrival((api) => api.segments.refresh({ id: '1' }))
  expect([again.body, again.headers['content-type']]).toEqual(['', undefined])
})

test('null clears a field of an update, and what is left out stays out (decision 45)', async () => {
  const seen = await arrival((api) => api.segments.update({ id: JOB.id, segmentName: 'A', cpm: null, spi: false }))
  expect(JSON.parse(seen.body)).toEqual({ segmentName: 'A', cpm: null, spi: false })
})

test('share always says whether the name is shared (decision 58)', async () => {
  const silent = await arrival((api) => api.segments.share({ segmentId: 's', partnerId: 5 }))
  expect(JSON.parse(silent.body)).toEqual({ segmentId: 's', partnerId: 5, shareSegmentName: true })
  const said = await arrival((api) => api.segments.share({ segmentId: 's', partnerId: 5, shareSegmentName: false }))
  expect(JSON.parse(said.body).shareSegmentName).toBe(false)
})

test.each([
  ['files.list', { uploadSignal: 'ZIPCODE', resultContent: 'BGID' }, ['uploadSignal must be one of']],
  [
    'matches.create',
    { segmentId: 's', deliveryScopes: [] },
    ['deliveryScopes must not be empty', 'partnerId or groupId is required'],
  ],
  ['matches.testControl', { matchId: '1' }, ['shaveOffPercent or controlHoldoutPercent is required']],
  ['matches.get', { matchId: '9223372036854775808' }, ['matchId must be an integer']],
  ['segments.get', { id: '' }, ['id cannot be part of a path']],
  ['segments.get', { id: '..' }, ['id cannot be part of a path']],
  ['jobs.get', {}, ['jobId is required']],
] as const)('%s with %j is refused before it is sent (decisions 21, 60, 73, 77)', async (id, input, messages) => {
  await using server = await scriptedServer([{ json: JOB }])
  await using client = testClient(server.url)
  const error = await client.api.untyped.call(id, input).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'invalid', code: 'invalid-input' })
  for (const message of messages) expect(String(error)).toContain(message)
  expect(server.seen).toEqual([])
})

test.each(['ftp://h/', 'http://user:pass@h/', 'nonsense', 'http://h/?a=1'])(
  'the base URL %s is refused, without being shown',
  (url) => {
    expect(() => testClient(url)).toThrow(/base URL cannot be used/)
    expect(() => testClient(url)).not.toThrow(/pass/)
  },
)

test('the lists whose paths the contract does not show can be elsewhere (decision 115)', async () => {
  await using server = await scriptedServer([{ json: { group: [], partners: [] } }])
  await using client = testClient(server.url, { paths: { 'groups.list': '/api/groups/all' } })
  await client.api.groups.list({})
  await client.api.partners.list({})
  expect(server.seen.map((seen) => seen.url)).toEqual(['/p/1001/api/groups/all', '/p/1001/api/partners'])
})

test.each(['', '/', '/a', '/a/b///'])(
  'the prefix %j of the base URL stays, whatever it ends with (decision 1)',
  async (prefix) => {
    await using server = await scriptedServer([{ json: JOB }])
    await using client = testClient(server.origin + prefix)
    await client.api.jobs.get({ jobId: '7' })
    expect(server.seen[0]!.url).toBe(`${prefix.replace(/\/+$/, '')}/api/jobs/7`)
  },
)
