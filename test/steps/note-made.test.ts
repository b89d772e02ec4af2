import { expect, test } from 'vitest'
import { noteMade } from '../../src/steps/note-made.ts'
import { stillService } from './support/still-service.ts'

const MADE = { kind: 'match', name: 's', about: { segmentId: 's' } } as const

/** The stored things after a step recorded these ids. */
async function noted(ids: Parameters<typeof noteMade>[1]) {
  const service = stillService({})
  const context = { pipeline: 'p', stepId: 'k', runId: 'r' }
  await noteMade(MADE, ids, { context, services: service } as unknown as Parameters<typeof noteMade>[2])
  return { things: await service.made.named('match', 's'), now: service.clock.now() }
}

test('what a step made is noted with its maker and the time', async () => {
  const { things, now } = await noted({ id: '7', job: '5' })
  expect(things).toEqual([
    {
      ...{ ...MADE, id: '7', job: '5', request: undefined, found: false, at: now },
      ...{ pipeline: 'p', step: 'k', runId: 'r' },
    },
  ])
})

test.each([undefined, null, 7, ''])('an id or a job that is no text (%j) is not known', async (id) => {
  expect((await noted({ id, job: '5' })).things).toMatchObject([{ id: undefined, job: '5' }])
  expect((await noted({ id: '7', job: id })).things).toMatchObject([{ id: '7', job: undefined }])
  expect((await noted({ id, job: id, request: 'r' })).things).toMatchObject([{ id: undefined, request: 'r' }])
  expect((await noted({ id, job: id })).things).toEqual([])
})
