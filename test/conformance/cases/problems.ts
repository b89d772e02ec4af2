import type { ConformanceCase } from '../conformance-case.ts'

export const problems: readonly ConformanceCase[] = [
  {
    decision: 135,
    name: 'errors are application/problem+json with type and status',
    async run(session, expect) {
      for (const [target, status, headers] of [
        ['GET /api/segments?page=-1', 400, {}],
        ['GET /api/segments', 401, { authorization: null }],
        ['GET /api/segments/no-such-segment', 404, {}],
        ['GET /api/nothing', 404, {}],
        ['GET /api/activations', 405, {}],
        ['GET /api/groups', 406, { accept: 'text/html' }],
      ] as const) {
        const answer = await session.send(target, { headers })
        expect.status(answer, status)
        const type = expect.text(`Content-Type of ${target}`, answer.headers['content-type'])
        expect.equal(`Content-Type of ${target}`, type.split(';')[0], 'application/problem+json')
        expect.text(`type of ${target}`, answer.body.type)
        expect.equal(`status in the body of ${target}`, answer.body.status, status)
      }
    },
  },
  {
    decision: 135,
    name: 'the type of a problem is stable and tells problems apart',
    async run(session, expect) {
      const type = async (target: string) => (await session.send(target)).body.type
      const notFound = await type('GET /api/segments/no-such-segment')
      expect.text('type', notFound)
      expect.equal('the type of the next such problem', await type('GET /api/segments/none-either'), notFound)
      const invalid = await type('GET /api/segments?page=-1')
      expect.that('another problem to have another type', invalid !== notFound, invalid)
    },
  },
  {
    decision: 135,
    name: 'an invalid body is answered with a JSON pointer to every fault',
    async run(session, expect) {
      const body = await session.segmentBody()
      const json = { ...body, segmentName: 'x'.repeat(101), spi: 'true' }
      const answer = await session.send('POST /api/segments', { json })
      expect.status(answer, 400)
      for (const field of ['segmentName', 'spi']) {
        expect.that(`a pointer to /${field}`, new RegExp(`"#?/${field}"`).test(answer.text), answer.text)
      }
    },
  },
  {
    decision: 135,
    name: 'an error says nothing of the token',
    async run(session, expect) {
      const { token } = session.options
      const headers = { authorization: `Bearer ${token}-with-more` }
      const answer = await session.send('GET /api/segments', { headers })
      expect.status(answer, 401)
      const written = answer.text + JSON.stringify(answer.headers)
      expect.that('the answer not to repeat the token', !written.includes(token))
    },
  },
]
