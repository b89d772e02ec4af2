import { afterAll, beforeAll, expect, test } from 'vitest'
import { corpus, openCorpus, recorded } from './open-corpus.ts'

let open: Awaited<ReturnType<typeof openCorpus>>
beforeAll(async () => {
  open = await openCorpus()
})
afterAll(() => open.close())

test.each(corpus)('%s is still valid and means what it meant', async (name) => {
  // A document without a meaning is added with `npx node test/corpus/add.ts`.
  expect(await open.meaningOf(name)).toEqual(recorded(name))
})
