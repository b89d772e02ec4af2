import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rawRequest } from './support/raw-request.ts'
import { newSegment, type Sent, startTestService, type TestService, VENDOR } from './support/start-test-service.ts'

let bench: TestService
beforeAll(async () => {
  bench = await startTestService()
})
afterAll(() => bench.close())

const problem = (name: string) => `urn:audience-data-service:problem:${name}`

describe('every refusal', () => {
  test('is a problem with a type, a request id, and where it is (decision 135)', async () => {
    const answer = await bench.send('POST /api/segments', { body: { segmentName: 7 } })
    expect(answer.status).toBe(400)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.body).toMatchObject({ type: problem('invalid-request'), status: 400 })
    expect(answer.body.errors).toContainEqual({ pointer: '/segmentName', message: 'must be a string' })
    expect(answer.body.errors).toContainEqual({ pointer: '/segmentFileName', message: 'segmentFileName is required' })
  })

  test('names query and path parameters as parameters', async () => {
    const answer = await bench.send('GET /api/segments?page=1001&pageSize=9')
    expect(answer.body.errors.map((item: { parameter: string }) => item.parameter)).toEqual(['page', 'pageSize'])
  })
})

describe('addresses (decisions 1, 2, 17, 57, 93, 96)', () => {
  const cases: [target: string, status: number, allow?: string][] = [
    ['GET /api/nothing', 404],
    ['GET /api/segments/', 404],
    ['GET /API/segments', 404],
    ['GET /api//segments', 404],
    ['PATCH /api/segments', 405, 'POST, GET'],
    ['HEAD /api/segments', 405, 'POST, GET'],
    ['OPTIONS /api/segments/x', 405, 'PUT, GET, DELETE'],
    ['GET /api/activations', 405, 'POST'],
    ['GET /api/segments/share', 405, 'POST'],
    ['DELETE /api/segments/match', 405, 'POST, GET'],
    ['DELETE /api/activations/activations', 405, 'GET'],
    ['GET /api/segments/x/refresh', 405, 'PUT'],
    ['GET /api/segments/match/refresh', 400],
    ['GET /api/segments/match/test-control', 400],
    ['GET /api/segments/%zz', 400],
    ['GET /api/segments?id=%zz', 400],
    ['GET /api/segments/%25zz', 404],
    [`GET /api/segments/${'x'.repeat(2000)}`, 404],
  ]
  test.each(cases)('%s → %i', async (target, status, allow) => {
    const answer = await bench.send(target)
    expect(answer.status).toBe(status)
    expect(answer.headers.allow).toBe(allow)
    expect(answer.headers['x-request-id']).toBeDefined()
  })

  test('decodes a path value once: a name with escapes in it is found', async () => {
    const name = '100%25 a+b/ü.csv'
    await bench.upload(name.replace('/', '_'), 'ann')
    const path = `/api/files/${encodeURIComponent(name.replace('/', '_'))}?uploadSignal=EMAIL&resultContent=BGID`
    expect((await bench.send(`DELETE ${path}`)).status).toBe(200)
  })
})

describe('access (decisions 1 and 9)', () => {
  test.each([
    ['no token', undefined],
    ['another scheme', 'Basic abc'],
    ['an unknown token', 'Bearer abc'],
    ['an empty token', 'Bearer '],
  ])('%s → 401 with a challenge', async (_case, authorization) => {
    const path = `GET /p/1001/api/segments HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: ${VENDOR}\r\n`
    const answer = await rawRequest(
      bench.origin,
      `${path}${authorization ? `Authorization: ${authorization}\r\n` : ''}\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toMatch(/^www-authenticate: Bearer realm=/im)
  })

  test('refuses the token of another participant, and any at a prefix that nobody has', async () => {
    const token = await bench.tokenOf(2001)
    const headers = { authorization: `Bearer ${token}` }
    expect((await bench.send('GET /api/segments', { headers })).status).toBe(401)
    expect((await bench.send('GET /api/segments', { as: 2001, headers })).status).toBe(200)
    expect((await bench.send('GET /api/segments', { as: 4711, headers })).status).toBe(401)
  })

  test('takes the scheme in any case', async () => {
    const headers = { authorization: `bearer ${bench.service.token}` }
    expect((await bench.send('GET /api/segments', { headers })).status).toBe(200)
  })

  test('keeps the control API to its own token, but tells everybody that it lives', async () => {
    const asParticipant = { authorization: `Bearer ${bench.service.token}` }
    expect(
      (await fetch(`${bench.service.control.url}/jobs/1/cancel`, { method: 'POST', headers: asParticipant })).status,
    ).toBe(401)
    expect((await bench.control('POST /jobs/1/cancel')).status).toBe(404)
    expect(await (await fetch(`${bench.service.control.url}/health`)).json()).toEqual({ status: 'ok' })
    expect(await (await fetch(`${bench.service.control.url}/ready`)).json()).toEqual({ status: 'ready' })
  })
})

describe('Accept (decisions 3, 4, 5, 6)', () => {
  const list = 'GET /api/segments'
  const cases: [target: string, accept: string, status: number][] = [
    [list, VENDOR, 200],
    [list, VENDOR.toUpperCase(), 200],
    [list, '*/*', 200],
    [list, 'application/*;q=0.1', 200],
    [list, `text/html, ${VENDOR};q=0.5`, 200],
    [list, `${VENDOR}; charset=utf-8`, 200],
    [list, 'application/json', 406],
    [list, 'application/vnd.service.v2+json', 406],
    [list, 'text/*', 406],
    [list, '', 406],
    [list, `*/*, ${VENDOR};q=0`, 406],
    [list, `${VENDOR};q=0.0`, 406],
    [list, `${VENDOR};q=2`, 406],
    [list, `${VENDOR};version=2`, 406],
    ['DELETE /api/segments/x', 'text/html', 404],
    ['DELETE /api/segments/match/1', 'text/html', 404],
    ['DELETE /api/activations/1', 'text/html', 404],
    ['DELETE /api/files/x?uploadSignal=EMAIL&resultContent=BGID', 'text/html', 406],
    ['DELETE /api/files/x?uploadSignal=EMAIL&resultContent=BGID', VENDOR, 404],
  ]
  test.each(cases)('%s with %j → %i', async (target, accept, status) => {
    const answer = await bench.send(target, { headers: { accept } })
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.headers['content-type']).toBe(VENDOR)
  })

  test('needs the header', async () => {
    const head = `GET /p/1001/api/segments HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`
    const answer = await rawRequest(bench.origin, `${head}Authorization: Bearer ${bench.service.token}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 406 /)
  })
})

describe('bodies (decisions 7, 13, 14, 15)', () => {
  const create = 'POST /api/segments'
  const json = (type: string) => ({ 'content-type': type })
  const jsonOf = (bytes: number) => JSON.stringify({ colour: 'x'.repeat(bytes - 13) })
  const cases: [name: string, target: string, sent: Sent, status: number][] = [
    ['text/plain', create, { body: '{}', headers: json('text/plain') }, 415],
    ['JSON in UTF-16', create, { body: '{}', headers: json('application/json; charset=utf-16') }, 415],
    ['compressed JSON', create, { body: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
    ['JSON with a charset', create, { body: '{}', headers: json('application/json; charset="UTF-8"') }, 400],
    ['no body', create, {}, 400],
    ['no JSON', create, { body: '{' }, 400],
    ['JSON that is too deep', create, { body: `{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}` }, 400],
    ['not UTF-8', create, { body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
    ['an array', create, { body: '[]' }, 400],
    ['null', create, { body: 'null' }, 400],
    ['deep nesting with long digits', create, { body: `${'['.repeat(100_000)}1234567890123456789` }, 400],
    ['10 MB (decision 149)', create, { body: jsonOf(10_485_760) }, 400],
    ['more than 10 MB (decision 149)', create, { body: jsonOf(10_485_761) }, 413],
    ['an upload as JSON', 'POST /api/files?uploadSignal=EMAIL&resultContent=BGID', { body: '{}' }, 415],
    ['a form for JSON', create, { body: 'a', headers: json('multipart/form-data; boundary=x') }, 415],
  ]
  test.each(cases)('%s', async (_name, target, sent, status) => {
    expect((await bench.send(target, sent)).status).toBe(status)
  })

  test('ignores unknown fields and parameters, and takes null for absent', async () => {
    await bench.upload('lenient.csv', 'ann')
    const body = { ...newSegment('lenient'), cpm: null, colour: 'red', __proto__: { segmentName: 1 } }
    expect((await bench.send('POST /api/segments?colour=red&colour=blue', { body })).status).toBe(200)
  })

  test('strict: refuses both (decision 13)', async () => {
    const strict = await startTestService({ strict: true })
    const answer = await strict.send('POST /api/segments?shape=round', { body: { ...newSegment('x'), colour: 'red' } })
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([
      { parameter: 'shape', message: 'is not known here' },
      { pointer: '/colour', message: 'is not known here' },
    ])
    await strict.close()
  })
})

describe('values (decisions 14, 16, 68, 73, 131)', () => {
  const match = { segmentId: 'x', deliveryScopes: ['CABLE'] }
  const activation = { activationName: 'a', segmentId: 'x', matchJobId: '1', refreshRate: 30, actionType: 'REQUEST' }
  const text = (body: object) => JSON.stringify(body)
  const cases: [target: string, body: string | undefined, status: number, wrong?: string][] = [
    ['GET /api/segments?page=', undefined, 400, 'page'],
    ['GET /api/segments?page=1.5', undefined, 400, 'page'],
    ['GET /api/segments?page=1e2', undefined, 400, 'page'],
    ['GET /api/segments?page=-1', undefined, 400, 'page'],
    ['GET /api/segments?page=+1', undefined, 400, 'page'],
    ['GET /api/segments?page=1&page=1', undefined, 400, 'page'],
    ['GET /api/segments?page=1000&pageSize=100', undefined, 200],
    ['GET /api/segments?page=1001', undefined, 400, 'page'],
    ['GET /api/segments?pageSize=9', undefined, 400, 'pageSize'],
    ['GET /api/segments?pageSize=101', undefined, 400, 'pageSize'],
    ['GET /api/segments?uploadSignal=email', undefined, 400, 'uploadSignal'],
    ['GET /api/segments?uploadSignal=ZIPCODE', undefined, 200],
    ['GET /api/files?uploadSignal=ZIPCODE&resultContent=BGID', undefined, 400, 'uploadSignal'],
    ['GET /api/files?resultContent=BGID', undefined, 400, 'uploadSignal'],
    ['GET /api/segments/match?requester=yes', undefined, 400, 'requester'],
    ['GET /api/segments/match?status=DONE', undefined, 400, 'status'],
    ['GET /api/segments/match/abc', undefined, 400, 'matchId'],
    ['GET /api/segments/match/-1', undefined, 400, 'matchId'],
    ['GET /api/segments/match/9223372036854775808', undefined, 400, 'matchId'],
    ['GET /api/segments/match/9223372036854775807', undefined, 404],
    ['GET /api/activations/1.0', undefined, 400, 'id'],
    ['GET /api/groups/abc', undefined, 400, 'id'],
    ['GET /api/partners/abc', undefined, 400, 'id'],
    ['GET /api/partners/2147483648', undefined, 400, 'id'],
    ['GET /api/jobs/abc', undefined, 404],
    ['GET /api/jobs/99999999999999999999', undefined, 404],
    ['POST /api/segments/match', text({ ...match, partnerId: '2001' }), 400, '/partnerId'],
    ['POST /api/segments/match', text({ ...match, partnerId: 2147483648 }), 400, '/partnerId'],
    ['POST /api/segments/match', text({ ...match, groupId: '9001' }), 400, '/groupId'],
    ['POST /api/segments/match', text({ ...match, groupId: 1.5 }), 400, '/groupId'],
    [
      'POST /api/segments/match',
      '{"segmentId":"x","deliveryScopes":["CABLE"],"groupId":9223372036854775808}',
      400,
      '/groupId',
    ],
    ['POST /api/segments/match', text({ ...match, partnerId: 2001, accessBgIds: 'true' }), 400, '/accessBgIds'],
    ['POST /api/segments/match', text({ ...match, partnerId: 2001, deliveryScopes: 'CABLE' }), 400, '/deliveryScopes'],
    ['POST /api/segments/match', text({ ...match, partnerId: 2001, deliveryScopes: [] }), 400, '/deliveryScopes'],
    ['POST /api/segments/match', text({ ...match, partnerId: 2001, deliveryScopes: [1] }), 400, '/deliveryScopes/0'],
    ['POST /api/segments/match', text(match), 400, ''],
    ['POST /api/activations', text({ ...activation, refreshRate: '30' }), 400, '/refreshRate'],
    ['POST /api/activations', text({ ...activation, refreshRate: 45 }), 400, '/refreshRate'],
    ['POST /api/activations', text(activation).replace('30', '30.0'), 404],
    ['POST /api/activations', text({ ...activation, actionType: 'request' }), 400, '/actionType'],
    ['POST /api/activations', text({ ...activation, activationName: ' ' }), 400, '/activationName'],
    ['POST /api/activations', text({ ...activation, activationName: 'x'.repeat(201) }), 400, '/activationName'],
    ['POST /api/activations', text({ ...activation, campaignStartDate: '2026-01-01' }), 400, '/campaignStartDate'],
    [
      'POST /api/activations',
      text({ ...activation, campaignStartDate: '2026-02-30T00:00:00' }),
      400,
      '/campaignStartDate',
    ],
  ]
  test.each(cases)('%s %s → %i %s', async (target, body, status, wrong) => {
    const answer = await bench.send(target, { body })
    expect(answer.status).toBe(status)
    const [item] = answer.body.errors ?? []
    if (wrong !== undefined) expect(item.parameter ?? item.pointer).toBe(wrong)
  })
})

describe('what is not even HTTP', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['headers of 20 kB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a wrong length', 'POST /p/1001/api/segments HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
  ])('%s → %i, as a problem', async (_name, text, status) => {
    const answer = await rawRequest(bench.origin, text)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toContain('application/problem+json')
    expect(answer).toMatch(/^x-request-id: /im)
  })
})
