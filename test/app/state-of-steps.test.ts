import { expect, test } from 'vitest'
import { type StateOfSteps, stateOfSteps } from '../../src/app/state-of-steps.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { failureAt } from '../../src/state/postgres/database-failure.ts'
import { throughOutages } from '../../src/state/postgres/through-outages.ts'

/** A state whose database cannot be reached on the first call of each kind, and the calls that were made. */
function failingOnce() {
  const called: string[] = []
  const flaky = (name: string) => async () => {
    called.push(name)
    if (called.filter((each) => each === name).length === 1) throw failureAt('there', new Error('ECONNREFUSED'))
    return name
  }
  const part = (...names: string[]) => Object.fromEntries(names.map((name) => [name, flaky(name)]))
  const state = {
    memory: part('get', 'set'),
    made: part('note', 'byId', 'named'),
    runs: part('page', 'records', 'lastSuccess'),
    engine: Promise.resolve(part('submit', 'resume', 'cancel')),
  } as unknown as StateOfSteps
  return { state, called }
}

const calls: readonly ((state: StateOfSteps) => Promise<unknown>)[] = [
  ({ memory }) => memory.get({ profile: 'p', pipeline: 'p', step: 's' }),
  ({ memory }) => memory.set({ profile: 'p', pipeline: 'p', step: 's' }, {}),
  ({ made }) => made.note({} as never),
  ({ made }) => made.byId('match', '1'),
  ({ made }) => made.named('match', '1'),
  ({ runs }) => runs.page({ limit: 1 }),
  ({ runs }) => runs.records('r'),
  ({ runs }) => runs.lastSuccess('p'),
  async ({ engine }) => (await engine).submit({} as never),
  async ({ engine }) => (await engine).resume('r'),
  async ({ engine }) => (await engine).cancel('r'),
]

const until =
  (signal: AbortSignal) =>
  <T>(work: () => Promise<T>) =>
    throughOutages(work, { clock: systemClock, signal })

test('what a step asks of a state whose database is away is asked again until it is back', async () => {
  const { state, called } = failingOnce()
  const lasting = until(new AbortController().signal)
  const own = stateOfSteps(state, { lasting, untilClosed: lasting })
  for (const call of calls) {
    const name = await call(own)
    expect(called.splice(0)).toEqual([name, name])
  }
})

test('a step that has ended asks no more, but what it cancels is still cancelled', async () => {
  const { state } = failingOnce()
  const own = stateOfSteps(state, {
    lasting: until(AbortSignal.abort(new Error('the step has ended'))),
    untilClosed: until(new AbortController().signal),
  })
  await expect(own.memory.get({ profile: 'p', pipeline: 'p', step: 's' })).rejects.toThrow('the step has ended')
  await expect((await own.engine).cancel('r')).resolves.toBe('cancel')
})
