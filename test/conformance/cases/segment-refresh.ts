import type { ConformanceCase } from '../conformance-case.ts'
import { whileActive } from '../while-active.ts'

const _METADATA = { cpm: 2.5, dataOwner: 'Owner', category: 'Cars', subCategory: 'Vans', description: 'All', spi: true }

export const segmentRefresh: readonly ConformanceCase[] = [
  {
    decision: 53,
    name: 'delete answers 200 with an empty body, and the segment is gone',
    async run(session, expect) {
      const { segmentId } = await session.segment()
      const deleted = await session.send(`DELETE /api/segments/${segmentId}`, { headers: { accept: '*/*' } })
      expect.status(deleted, 200)
      expect.equal('the body', deleted.text, '')
      expect.status(await session.send(`GET /api/segments/${segmentId}`), 404)
      expect.status(await session.send(`DELETE /api/segments/${segmentId}`), 404)
    },
  },
  {
    decision: 53,
    name: 'a segment with an active job cannot be deleted',
    async run(session, expect) {
      const answer = await whileActive(session, async () => {
        const { segmentId } = await session.segment()
        const job = await session.send(`PUT /api/segments/${segmentId}/refresh`)
        return { job, attempt: () => session.send(`DELETE /api/segments/${segmentId}`) }
      })
      expect.status(answer, 400)
    },
  },
  {
    decision: 54,
    name: 'a second refresh is a second job',
    async run(session, expect) {
      const { segmentId } = await session.segment()
      const jobs: unknown[] = []
      for (let count = 0; count < 2; count++) {
        jobs.push((await session.succeed(await session.send(`PUT /api/segments/${segmentId}/refresh`))).id)
      }
      expect.that('two refreshes to be two jobs', jobs[0] !== jobs[1], jobs)
    },
  },
  {
    decision: 55,
    name: 'refresh takes no body, an empty one, or {}',
    async run(session, expect) {
      const { segmentId } = await session.segment()
      const target = `PUT /api/segments/${segmentId}/refresh`
      const headers = { 'content-type': 'application/json' }
      for (const sending of [{}, { raw: '', headers }, { json: {} }, { json: { segmentFileName: null } }]) {
        const started = await session.send(target, sending)
        expect.status(started, 200)
        await session.succeed(started)
      }
    },
  },
  {
    decision: 55,
    name: 'a refresh whose file is not there is a bad request',
    async run(session, expect) {
      const { segmentId, request } = await session.segment()
      const target = `PUT /api/segments/${segmentId}/refresh`
      const hashed = await session.upload('a@b.example\n', { content: 'HASHED' })
      for (const segmentFileName of ['no-such-file.csv', hashed, '', 'x'.repeat(101)]) {
        expect.status(await session.send(target, { json: { segmentFileName } }), 400)
      }
      const file = `/api/files/${request.segmentFileName}?uploadSignal=EMAIL&resultContent=BGID`
      expect.status(await session.send(`DELETE ${file}`), 200)
      expect.status(await session.send(target), 400)
    },
  },
  {
    decision: 56,
    name: 'a refresh with a new file replaces the membership whole',
    needs: ['sample'],
    async run(session, expect) {
      const first = session.emails({ from: 0, to: 300 })
      const segmentFileName = await session.upload(session.emails({ from: 300, to: 600 }))
      const [replaced, fresh] = await Promise.all([
        session.segment({ segmentFileName: await session.upload(first) }),
        session.segment({ segmentFileName }),
      ])
      const json = { segmentFileName }
      await session.succeed(await session.send(`PUT /api/segments/${replaced.segmentId}/refresh`, { json }))
      const counts = await Promise.all(
        [replaced, fresh].map(async ({ segmentId }) => {
          const { matchId } = await session.match({ segmentId })
          return (await session.send(`GET /api/segments/match/${matchId}`)).body.matchCount
        }),
      )
      expect.that('somebody of the new file to be matched', Number(counts[1]) > 0, counts)
      expect.equal('the count after the refresh', counts[0], counts[1])
    },
  },
]
