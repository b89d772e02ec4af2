import { expect, test } from 'vitest'
import type { Job } from '../../../src/contract/job.ts'
import type { MadeThing } from '../../../src/state/made-things.ts'
import type { Finding } from '../../../src/steps/writes/reconciler.ts'
import { verdictOfOwn } from '../../../src/steps/writes/verdict-of-own.ts'
import { madeThing } from '../support/made-thing.ts'
import { stillService } from '../support/still-service.ts'

const WHAT = { kind: 'match', name: 's', about: {} } as const

/** Whether the request `k`, which started job 5, may have made the listed match 7. The targets are unknown. */
async function isOwn(maker: Partial<MadeThing>, asks: { readonly key?: string; readonly jobId?: string }) {
  const service = stillService({})
  await service.made.note(madeThing({ ...WHAT, id: '7', ...maker }))
  const done: Finding = { state: 'done', answer: {} }
  const verdict = await verdictOfOwn([{ id: '7' }], (own) => (own.length > 0 ? done : { state: 'notVisible' }), {
    ...{ what: WHAT, listed: (thing) => thing, isOfOther: () => false, mayBeOf: () => false },
    ...{ before: {}, confirmed: false, key: asks.key, jobId: asks.jobId, deps: service },
  })
  return verdict === done
}

test.each([
  ['of its key', { request: 'k' }, true],
  ['of its job', { job: '5' }, true],
  ['of another key and another job', { request: 'l', job: '6' }, false],
  ['of neither', {}, false],
  ['that a step only found', { found: true }, true],
])('a listed thing %s', async (_, maker, own) => {
  expect(await isOwn(maker, { key: 'k', jobId: '5' })).toBe(own)
})

test('a request without a key and a job owns nothing that another one made', async () => {
  expect(await isOwn({ request: 'l', job: '6' }, {})).toBe(false)
  expect(await isOwn({}, {})).toBe(false)
})

test.each<[string, Partial<MadeThing>, readonly Job[], 'inProgress' | 'ambiguous' | 'done']>([
  ['goes on', { job: '6' }, [{ id: '6', status: 'RUNNING' }], 'inProgress'],
  ['does not say what it made', { job: '6' }, [{ id: '6', status: 'SUCCESS' }], 'ambiguous'],
  ['failed', { job: '6' }, [{ id: '6', status: 'FAILED' }], 'done'],
  ['is not known, because its request got no answer', { request: 'l' }, [], 'ambiguous'],
  ['is the own one', { job: '5' }, [{ id: '5', status: 'SUCCESS' }], 'done'],
])('a listed thing of no known maker, beside another request whose job %s', async (_, asked, jobs, state) => {
  const service = stillService({ jobs })
  await service.made.note(madeThing({ ...WHAT, ...asked }))
  const verdictFor = (mayBe: boolean, confirmed = false) =>
    verdictOfOwn([{ id: '7' }], () => ({ state: 'done', answer: {} }), {
      ...{ what: WHAT, listed: (thing) => thing, isOfOther: () => false, mayBeOf: () => mayBe },
      ...{ before: {}, confirmed, key: 'k', jobId: '5', deps: service },
    })
  expect((await verdictFor(true)).state).toBe(state)
  expect((await verdictFor(false)).state).toBe('done')
  expect((await verdictFor(true, true)).state).toBe('done')
})
