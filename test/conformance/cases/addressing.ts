import type { ConformanceCase } from '../conformance-case.ts'
import { NotApplicable } from '../conformance-case.ts'
import { participantOf } from '../suite-options.ts'

export const addressing: readonly ConformanceCase[] = [
  {
    decision: 1,
    name: 'a token is refused under the prefix of another participant',
    async run(session, expect) {
      const { baseUrl } = session.options
      if (participantOf(baseUrl) === undefined)
        throw new NotApplicable('the base URL does not end in /p/{participantId}')
      const [partner] = await session.partners()
      if (!partner) throw new NotApplicable('the caller has no partners')
      const theirs = baseUrl.replace(/\/p\/\d+\/?$/, `/p/${partner.id}`)
      expect.status(await session.send('GET /api/segments'), 200)
      expect.status(await session.send('GET /api/segments', { baseUrl: theirs }), 401, 403, 404)
    },
  },
  {
    decision: 1,
    name: 'paths under the prefix are not found without it',
    async run(session, expect) {
      const { origin, pathname } = new URL(session.options.baseUrl)
      if (pathname === '/') throw new NotApplicable('the base URL has no path prefix')
      expect.status(await session.send('GET /api/segments', { baseUrl: origin }), 401, 404)
    },
  },
  {
    decision: 2,
    name: 'a malformed percent-encoding is a bad request',
    async run(session, expect) {
      for (const path of ['/api/segments/%ZZ', '/api/segments/%', '/api/jobs/%C3%28']) {
        expect.status(await session.send(`GET ${path}`), 400)
      }
    },
  },
  {
    decision: 2,
    name: 'path values are decoded exactly once',
    async run(session, expect) {
      const stem = session.unique('conformance')
      const name = await session.upload('a@b.example\n', { name: `${stem} %41.csv` })
      expect.equal('the name of the upload', name, `${stem} %41.csv`)
      const place = 'uploadSignal=EMAIL&resultContent=BGID'
      expect.status(await session.send(`DELETE /api/files/${stem}%20%41.csv?${place}`), 404)
      expect.status(await session.send(`DELETE /api/files/${stem}%20%2541.csv?${place}`), 200)
    },
  },
  {
    decision: 9,
    name: 'a missing or wrong token is 401 with WWW-Authenticate',
    async run(session, expect) {
      const { token } = session.options
      const wrong = [null, `Bearer ${token}x`, 'Bearer ', `Basic ${token}`, token]
      for (const authorization of wrong) {
        const answer = await session.send('GET /api/segments', { headers: { authorization } })
        expect.status(answer, 401)
        expect.text('WWW-Authenticate', answer.headers['www-authenticate'])
      }
    },
  },
  {
    decision: 9,
    name: 'the token is asked for before anything else is looked at',
    async run(session, expect) {
      const headers = { authorization: null, accept: 'text/html' }
      expect.status(await session.send('GET /api/segments?page=-1', { headers }), 401)
      expect.status(await session.send('POST /api/segments', { json: {}, headers: { authorization: null } }), 401)
    },
  },
  {
    decision: 9,
    name: 'what belongs to another participant is not found',
    needs: ['other'],
    async run(session, expect) {
      const { segmentId, jobId } = await session.sharedSegment()
      expect.status(await session.send(`GET /api/segments/${segmentId}`), 200)
      for (const target of [
        `GET /api/segments/${segmentId}`,
        `DELETE /api/segments/${segmentId}`,
        `PUT /api/segments/${segmentId}/refresh`,
        `GET /api/jobs/${jobId}`,
      ]) {
        expect.status(await session.send(target, { as: 'other' }), 404)
      }
      const json = { segmentName: 'theirs now' }
      expect.status(await session.send(`PUT /api/segments/${segmentId}`, { as: 'other', json }), 404)
    },
  },
  {
    decision: 11,
    name: 'a burst of requests is not rate-limited',
    async run(session, expect) {
      const answers = await Promise.all(Array.from({ length: 60 }, () => session.send('GET /api/segments')))
      for (const answer of answers) {
        expect.status(answer, 200)
        expect.equal('Retry-After', answer.headers['retry-after'], undefined)
      }
    },
  },
  {
    decision: 17,
    name: 'an unknown path is 404',
    async run(session, expect) {
      for (const path of ['/api/nothing', '/api', '/', '/api/segments/a/b', '/API/segments', '/api//segments']) {
        expect.status(await session.send(`GET ${path}`), 404)
      }
    },
  },
  {
    decision: 17,
    name: 'a trailing slash is another path: 404',
    async run(session, expect) {
      const { jobId } = await session.sharedSegment()
      const found: string[] = []
      for (const target of [
        'GET /api/segments/',
        'POST /api/segments/',
        'GET /api/segments/match/',
        'GET /api/segments/match/1/',
        'POST /api/segments/match/refresh/',
        'POST /api/segments/share/',
        'POST /api/activations/',
        'GET /api/activations/',
        'GET /api/activations/activations/',
        'GET /api/files/',
        'DELETE /api/files/?uploadSignal=EMAIL&resultContent=BGID',
        'GET /api/groups/',
        'GET /api/partners/',
        'GET /api/integrations/integration/',
        'GET /api/jobs/',
        `GET /api/jobs/${jobId}/`,
      ]) {
        const { status } = await session.send(target, target.startsWith('POST') ? { json: {} } : {})
        if (status !== 404) found.push(`${target}: ${status}`)
      }
      expect.equal('paths with a trailing slash that are not 404', found, [])
    },
  },
  {
    decision: 17,
    name: 'a wrong method is 405 and Allow names the right ones',
    async run(session, expect) {
      const table: readonly (readonly [string, readonly string[]])[] = [
        ['DELETE /api/segments', ['GET', 'POST']],
        ['POST /api/segments/1', ['DELETE', 'GET', 'PUT']],
        ['POST /api/segments/1/refresh', ['PUT']],
        ['PUT /api/segments/match', ['GET', 'POST']],
        ['PUT /api/segments/match/1', ['DELETE', 'GET']],
        ['PUT /api/segments/match/test-control/1', ['POST']],
        ['PUT /api/activations', ['POST']],
        ['POST /api/activations/1', ['DELETE', 'GET']],
        ['PUT /api/files', ['GET', 'POST']],
        ['GET /api/files/a.csv', ['DELETE']],
        ['POST /api/groups', ['GET']],
        ['DELETE /api/partners/1', ['GET']],
        ['POST /api/integrations/integration', ['GET']],
        ['DELETE /api/jobs/1', ['GET']],
      ]
      for (const [target, allowed] of table) {
        const answer = await session.send(target)
        expect.status(answer, 405)
        const methods = expect
          .text(`Allow of ${target}`, answer.headers.allow)
          .split(',')
          .map((method) => method.trim())
          .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
        expect.equal(`Allow of ${target}`, methods.sort(), allowed)
      }
    },
  },
  {
    decision: 19,
    name: 'the version is in Accept alone, not in the path',
    async run(session, expect) {
      expect.status(await session.send('GET /api/groups'), 200)
      for (const path of ['/v1/api/groups', '/api/v1/groups']) {
        expect.status(await session.send(`GET ${path}`), 404)
      }
      const accept = 'application/vnd.service.v2+json'
      expect.status(await session.send('GET /api/groups', { headers: { accept } }), 406)
    },
  },
]
