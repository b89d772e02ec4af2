import type { ConformanceCase } from '../conformance-case.ts'
import { VENDOR } from '../http-client.ts'

const UNKNOWN_ID = '9223372036854775807'

export const negotiation: readonly ConformanceCase[] = [
  {
    decision: 3,
    name: 'every operation but three deletes answers 406 without the vendor Accept',
    async run(session, expect) {
      const place = 'uploadSignal=EMAIL&resultContent=BGID'
      for (const target of [
        'GET /api/segments',
        'GET /api/segments/1',
        'POST /api/segments',
        'PUT /api/segments/1',
        'PUT /api/segments/1/refresh',
        'POST /api/segments/share',
        'GET /api/segments/match',
        'POST /api/segments/match',
        'GET /api/segments/match/1',
        'POST /api/segments/match/test-control/1',
        'POST /api/segments/match/refresh/1',
        'POST /api/activations',
        'GET /api/activations/activations',
        'GET /api/activations/1',
        `GET /api/files?${place}`,
        'GET /api/groups',
        'GET /api/groups/1',
        'GET /api/partners',
        'GET /api/partners/1',
        'GET /api/integrations/integration?status=ENABLED&purpose=ACTIVATION',
        'GET /api/jobs/1',
      ]) {
        const json = /^(POST|PUT) (?!.*refresh)/.test(target) ? {} : undefined
        expect.status(await session.send(target, { json, headers: { accept: 'text/html' } }), 406)
      }
    },
  },
  {
    decision: 3,
    name: 'an upload without the vendor Accept is 406',
    async run(session, expect) {
      const parts = [{ name: 'file', fileName: `${session.unique('conformance')}.csv`, content: 'a@b.example\n' }]
      const target = 'POST /api/files?uploadSignal=EMAIL&resultContent=BGID'
      expect.status(await session.send(target, { parts, headers: { accept: 'text/html' } }), 406)
    },
  },
  {
    decision: 3,
    name: 'a request without any Accept is 406',
    async run(session, expect) {
      expect.status(await session.send('GET /api/groups', { headers: { accept: null } }), 406)
    },
  },
  {
    decision: 3,
    name: 'delete of segments, matches and activations takes any Accept, or none',
    async run(session, expect) {
      for (const accept of ['*/*', 'text/html', 'application/vnd.service.v2+json', null]) {
        for (const path of ['/api/segments', '/api/segments/match', '/api/activations']) {
          expect.status(await session.send(`DELETE ${path}/${UNKNOWN_ID}`, { headers: { accept } }), 404)
        }
      }
    },
  },
  {
    decision: 4,
    name: 'delete of a file needs the vendor Accept',
    async run(session, expect) {
      const name = await session.upload('a@b.example\n')
      const target = `DELETE /api/files/${name}?uploadSignal=EMAIL&resultContent=BGID`
      for (const accept of ['text/csv', 'application/json', null]) {
        expect.status(await session.send(target, { headers: { accept } }), 406)
      }
      expect.status(await session.send(target), 200)
    },
  },
  {
    decision: 5,
    name: 'media ranges and q-values are understood',
    async run(session, expect) {
      const table: readonly (readonly [string, number])[] = [
        [VENDOR, 200],
        ['*/*', 200],
        ['application/*', 200],
        ['Application/VND.Service.V1+JSON', 200],
        [`text/html, ${VENDOR};q=0.1`, 200],
        [`text/html,${VENDOR}`, 200],
        ['text/html, */*;q=0.5', 200],
        ['application/json', 406],
        ['application/vnd.service.v2+json', 406],
        ['text/*', 406],
        [`${VENDOR};q=0`, 406],
        [`*/*, ${VENDOR};q=0`, 406],
        ['*/*;q=0', 406],
      ]
      for (const [accept, status] of table) {
        const answer = await session.send('GET /api/groups', { headers: { accept } })
        expect.equal(`the status for Accept: ${accept}`, answer.status, status)
      }
    },
  },
  {
    decision: 6,
    name: 'answers carry the vendor media type',
    async run(session, expect) {
      const { segmentId, jobId } = await session.sharedSegment()
      for (const path of [`/api/segments/${segmentId}`, `/api/jobs/${jobId}`, '/api/groups', '/api/segments/match']) {
        for (const accept of [VENDOR, '*/*']) {
          const answer = await session.send(`GET ${path}`, { headers: { accept } })
          expect.status(answer, 200)
          const type = expect.text(`Content-Type of ${path}`, answer.headers['content-type'])
          expect.equal(`Content-Type of ${path}`, type.split(';')[0]?.trim(), VENDOR)
        }
      }
      const started = await session.send('POST /api/segments', { json: await session.segmentBody() })
      expect.status(started, 200)
      expect.equal('Content-Type of a creation', started.headers['content-type']?.split(';')[0]?.trim(), VENDOR)
    },
  },
  {
    decision: 7,
    name: 'a JSON body under another or no Content-Type is 415',
    async run(session, expect) {
      const { segmentId } = await session.segment()
      const raw = '{"segmentName":"renamed"}'
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', VENDOR, null]) {
        const answer = await session.send(`PUT /api/segments/${segmentId}`, { raw, headers: { 'content-type': type } })
        expect.equal(`the status for Content-Type: ${type}`, answer.status, 415)
      }
      const headers = { 'content-type': 'text/plain' }
      for (const target of [
        'POST /api/segments',
        'POST /api/segments/share',
        'POST /api/segments/match',
        'POST /api/activations',
        `PUT /api/segments/${segmentId}/refresh`,
      ]) {
        expect.status(await session.send(target, { raw: '{"segmentFileName":"a.csv"}', headers }), 415)
      }
      for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
        const answer = await session.send(`PUT /api/segments/${segmentId}`, { raw, headers: { 'content-type': type } })
        expect.equal(`the status for Content-Type: ${type}`, answer.status, 200)
      }
    },
  },
]
