import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { AudienceError, NeedsPersonError } from '../../src/core/errors.ts'
import type { Claimed } from '../../src/state/claims.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { askingAlone, withClaim } from '../../src/steps/with-claim.ts'
import { fakeClock } from '../adapter/fake-clock.ts'

const details = { code: 'x', message: 'x', hint: 'x' }
const failed = (outcome: 'unknown' | 'rejected') =>
  new ApiError({ operation: 'x', method: 'POST', path: '/x' }, { code: 'service-error', outcome })
const PERSON = new NeedsPersonError('decision', details)
const OTHER = new AudienceError({ ...details, kind: 'failed' })

/** A step, and its calls to claims. `take` first returns `answers`, and then succeeds. */
function claimant(...answers: readonly Claimed[]) {
  const done: string[] = []
  const left = [...answers]
  const aborting = new AbortController()
  const { signal } = aborting
  const claims = {
    take: async (thing: string) => {
      done.push(`take ${thing}`)
      return left.shift() ?? { state: 'taken', fence: 'f' }
    },
    release: async (thing: string, holder: object, fence: string) =>
      void done.push(`release ${thing} ${fence} ${JSON.stringify(holder)}`),
  }
  const reported: object[] = []
  const context = {
    ...{ runId: 'r', stepKey: 'k', signal, assertOwned: async () => void done.push('owned') },
    wait: (_: string, begin: (wait: object) => Promise<string>) =>
      begin({ signal, report: (told: object) => reported.push(told) }),
  }
  const clock = fakeClock()
  const services = { claims, clock } as unknown as StepServices
  return { deps: { context: context as never, services }, done, reported, aborting, clock }
}

const RELEASED = ['owned', 'release thing f {"runId":"r","step":"k"}']

test('the claim is taken before the work, and released after it while the run is still ours', async () => {
  const { deps, done } = claimant()
  const work = async () => {
    done.push('work')
    return 7
  }
  expect(await withClaim('thing', deps, work, { inDoubt: 'keep' })).toBe(7)
  expect(done).toEqual(['take thing', 'work', ...RELEASED])
})

test('the work ends before the claim is released', async () => {
  const { deps, done } = claimant()
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = withClaim('thing', deps, () => promise, { inDoubt: 'keep' })
  await new Promise(setImmediate)
  expect(done).toEqual(['take thing'])
  resolve()
  await end
  expect(done).toEqual(['take thing', ...RELEASED])
})

test.each([
  ['a person has to decide', PERSON, 'keep', 'kept'],
  ['a person has to decide', PERSON, 'release', 'released'],
  ['nobody knows whether it was applied', failed('unknown'), 'keep', 'kept'],
  ['nobody knows whether it was applied', failed('unknown'), 'release', 'released'],
  ['the request was refused', failed('rejected'), 'keep', 'released'],
  ['something else failed', OTHER, 'keep', 'released'],
  ['something else failed', OTHER, 'release', 'released'],
] as const)('%s (%s, in doubt: %s): the claim is %s', async (_, error, inDoubt, claim) => {
  const { deps, done } = claimant()
  await expect(withClaim('thing', deps, () => Promise.reject(error), { inDoubt })).rejects.toBe(error)
  expect(done).toEqual(['take thing', ...(claim === 'released' ? RELEASED : [])])
})

test('a process that stops keeps the claim with the run', async () => {
  const { deps, done, aborting } = claimant()
  const work = async () => {
    aborting.abort()
    throw OTHER
  }
  await expect(withClaim('thing', deps, work, { inDoubt: 'release' })).rejects.toBe(OTHER)
  expect(done).toEqual(['take thing'])
})

test('it waits for the claim of another step, and says once for each whom it waits for, and that it goes on', async () => {
  const of = (runId: string) => ({ state: 'held', by: { runId, step: 's' } }) as unknown as Claimed
  const { deps, done, reported } = claimant(of('a'), of('a'), of('b'), of('a'))
  await withClaim('thing', deps, async () => undefined, { inDoubt: 'keep' })
  expect(done.filter((one) => one === 'take thing')).toHaveLength(5)
  const waits = ['a', 'b', 'a'].map((runId) => ({ kind: 'claim', thing: 'thing', by: { runId, step: 's' } }))
  expect(reported).toEqual([...waits, { kind: 'claim', thing: 'thing', by: undefined }])
})

test('it looks ten times a second at first, and every five seconds in the end', async () => {
  const held = { state: 'held', by: { runId: 'a', step: 's' } } as unknown as Claimed
  const { deps, clock } = claimant(...Array.from({ length: 500 }, () => held))
  await withClaim('thing', deps, async () => undefined, { inDoubt: 'keep' })
  expect([clock.sleeps[0], clock.sleeps.at(-1)]).toEqual([100, 5_000])
})

test('a run that others took meanwhile ends no claim', async () => {
  const { deps, done } = claimant()
  const context = { ...(deps.context as object), assertOwned: () => Promise.reject(OTHER) }
  const step = { ...deps, context: context as never }
  await expect(withClaim('thing', step, async () => 7, { inDoubt: 'keep' })).rejects.toBe(OTHER)
  expect(done).toEqual(['take thing'])
})

test.each([
  ['ends', () => Promise.resolve(7)],
  ['fails', () => Promise.reject(OTHER)],
])('a step whose work %s goes on only when the claim is released', async (_, work) => {
  const { deps, done } = claimant()
  const { promise, resolve } = Promise.withResolvers<void>()
  const claims = { ...deps.services.claims, release: () => promise }
  const step = { ...deps, services: { ...deps.services, claims } }
  const end = withClaim('thing', step, work, { inDoubt: 'keep' }).finally(() => done.push('end'))
  end.catch(() => undefined)
  await new Promise(setImmediate)
  expect(done).toEqual(['take thing', 'owned'])
  resolve()
  await Promise.allSettled([end])
  expect(done).toEqual(['take thing', 'owned', 'end'])
})

test('what needs no claim takes none', async () => {
  const { deps, done } = claimant()
  expect(await withClaim(undefined, deps, async () => 7, { inDoubt: 'keep' })).toBe(7)
  expect(done).toEqual([])
})

test.each([
  ['a person would be asked', PERSON, 'likes', 2],
  ['a person would be asked, and nothing is like it', PERSON, undefined, 1],
  ['something else failed', OTHER, 'likes', 1],
] as const)('it looks once more, alone, if %s', async (_, error, likes, looks) => {
  const { deps, done } = claimant()
  const look = async () => {
    if (!done.includes('look')) {
      done.push('look')
      throw error
    }
    return 'seen'
  }
  const end = askingAlone(likes, deps, look)
  if (looks === 2) expect(await end).toBe('seen')
  else await expect(end).rejects.toBe(error)
  expect(done.filter((one) => one.startsWith('take'))).toEqual(looks === 2 ? ['take likes'] : [])
})
