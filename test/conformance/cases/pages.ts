import { type ConformanceCase, NotApplicable } from '../conformance-case.ts'
import { integrationQueries } from '../integration-queries.ts'
import type { Session } from '../session.ts'

/** No other case uploads with this signal and content, so the number of files does not change. */
const QUIET = 'uploadSignal=STBID&resultContent=HASHED'

export const pages: readonly ConformanceCase[] = [
  {
    decision: 130,
    name: 'page is 0 and pageSize 10 where they are not given',
    async run(session, expect) {
      for (const { path, key } of await pagedLists(session)) {
        const list = await session.send(`GET ${path}`)
        const items = expect.items(list, key)
        expect.equal(`page of ${path}`, list.body.page, 0)
        expect.equal(`pageSize of ${path}`, list.body.pageSize, 10)
        expect.that(`at most 10 items in ${path}`, items.length <= 10, items.length)
        expect.equal(`type of hasMore of ${path}`, typeof list.body.hasMore, 'boolean')
      }
    },
  },
  {
    decision: 130,
    name: 'page from 0 to 1000 and pageSize from 10 to 100 are taken and echoed',
    async run(session, expect) {
      for (const { path, key } of await pagedLists(session)) {
        for (const [page, pageSize] of [
          [0, 10],
          [1, 100],
          [1000, 100],
          [1000, 10],
        ] as const) {
          const list = await session.send(`GET ${path}page=${page}&pageSize=${pageSize}`)
          expect.items(list, key)
          expect.equal(`page of ${path}`, list.body.page, page)
          expect.equal(`pageSize of ${path}`, list.body.pageSize, pageSize)
        }
      }
    },
  },
  {
    decision: 130,
    name: 'pages outside the range are a bad request, never clamped',
    async run(session, expect) {
      for (const { path } of await pagedLists(session)) {
        for (const query of ['page=-1', 'page=1001', 'pageSize=9', 'pageSize=101', 'pageSize=0', 'pageSize=-10']) {
          expect.status(await session.send(`GET ${path}${query}`), 400)
        }
      }
    },
  },
  {
    decision: 130,
    name: 'a page beyond the data is empty and has no more',
    async run(session, expect) {
      for (const { path, key } of await pagedLists(session)) {
        const list = await session.send(`GET ${path}page=1000&pageSize=100`)
        expect.equal(`the items of ${path}`, expect.items(list, key), [])
        expect.equal(`hasMore of ${path}`, list.body.hasMore, false)
      }
    },
  },
  {
    decision: 130,
    name: 'all pages from 0 to 1000 are answered',
    needs: ['slow'],
    async run(session, expect) {
      for (let page = 0; page <= 1000; page++) {
        const list = await session.send(`GET /api/segments?page=${page}&pageSize=100`)
        expect.status(list, 200)
        expect.equal('page', list.body.page, page)
      }
      expect.status(await session.send('GET /api/segments?page=1001&pageSize=100'), 400)
    },
  },
  {
    decision: 131,
    name: 'page and pageSize that are no plain integers, or there twice, are a bad request',
    async run(session, expect) {
      for (const { path } of await pagedLists(session)) {
        for (const query of [
          'page=',
          'page=1.5',
          'page=1e2',
          'page=abc',
          'page=0x1',
          'page=0&page=1',
          'page=0&page=0',
          'pageSize=',
          'pageSize=10.5',
          'pageSize=1e1',
          'pageSize=10&pageSize=20',
        ]) {
          expect.status(await session.send(`GET ${path}${query}`), 400)
        }
      }
    },
  },
  {
    decision: 131,
    name: 'page and pageSize are echoed as integers',
    async run(session, expect) {
      for (const { path } of await pagedLists(session)) {
        const list = await session.send(`GET ${path}page=3&pageSize=20`)
        expect.that('"page" to be the number 3', /"page"\s*:\s*3[,}\s]/.test(list.text), list.text.slice(-100))
        expect.that(
          '"pageSize" to be the number 20',
          /"pageSize"\s*:\s*20[,}\s]/.test(list.text),
          list.text.slice(-100),
        )
      }
    },
  },
  {
    decision: 132,
    name: 'the last page has no more, also where it is full',
    async run(session, expect) {
      const count = async () => (await session.all(`GET /api/files?${QUIET}`, 'files')).length
      const present = await count()
      for (let missing = 20 - (present % 10); missing > 0; missing--) {
        await session.upload('1\n', { signal: 'STBID', content: 'HASHED' })
      }
      const total = await count()
      if (total % 10 !== 0) throw new NotApplicable('somebody else uploads at the same time')
      const names = new Set<unknown>()
      for (let page = 0; page < total / 10; page++) {
        const list = await session.send(`GET /api/files?${QUIET}&page=${page}&pageSize=10`)
        const items = expect.items(list, 'files')
        expect.equal(`the number of items on page ${page}`, items.length, 10)
        expect.equal(`hasMore of page ${page} of ${total / 10}`, list.body.hasMore, page < total / 10 - 1)
        for (const { name } of items) names.add(name)
      }
      expect.equal('the number of different items on all pages', names.size, total)
    },
  },
]

/** Every paged list, with a path that is ready for one more query parameter; integrations only if there are any. */
async function pagedLists(session: Session): Promise<readonly { path: string; key: string }[]> {
  const { having } = await integrationQueries(session)
  return [
    { path: '/api/segments?', key: 'segments' },
    { path: '/api/segments/match?', key: 'matches' },
    { path: '/api/activations/activations?', key: 'activations' },
    { path: `/api/files?uploadSignal=EMAIL&resultContent=BGID&`, key: 'files' },
    ...(having === undefined ? [] : [{ path: `/api/integrations/integration?${having}&`, key: 'integrations' }]),
  ]
}
