import { expect, onTestFinished, test } from 'vitest'
import type { Firing } from '../../../src/core/fire.ts'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { startFollower } from '../../../src/triggers/after/start-follower.ts'
import { stepTypes } from '../../pipeline/step-types.ts'
import { around } from '../../support/around.ts'
import { heldClock } from '../../support/held-clock.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const NEXT = { pipeline: 'next', trigger: 'follow' }

function documentOf(text: string) {
  const { pipeline } = loadPipeline({ text, file: 'next.yaml', stepTypes })
  if (!pipeline) throw new Error('the document is not valid')
  return new Map([[pipeline.name, { pipeline, folder: '/' }]])
}

const FOLLOWING = documentOf(`version: 1
name: next
triggers: [{ id: follow, after: { pipelines: [a] } }]
steps: [{ id: groups, uses: groups.list }]
`)

/** A follower of a new state, on a clock that the test advances. */
function following() {
  const clock = heldClock()
  const state = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around })
  const fired: Firing[] = []
  const logged: unknown[] = []
  let looks = 0
  let failure: Error | undefined
  let ended = () => undefined as unknown
  const log = (_facts: object, text: string) => void logged.push(text)
  const follower = startFollower({
    ...{ occurrenceStore: state.occurrences, runs: state.runs, clock, log: { info: log, error: log } as never },
    ends: {
      ...state.ends,
      async waiting() {
        looks += 1
        return state.ends.waiting()
      },
      open: (ref) => (failure ? Promise.reject(failure) : state.ends.open(ref)),
    },
    async fire(firing) {
      fired.push(firing)
      const { key, at } = firing
      await state.occurrences.note(NEXT, { occurrences: [{ key, at, state: 'ran', runId: `of ${key}` }] })
      return { ...NEXT, key, at, state: 'ran' }
    },
    watchEnds(callback) {
      ended = callback
      return () => undefined
    },
  })
  onTestFinished(async () => {
    await follower.stop()
    await state.close()
  })
  return {
    ...{ clock, fired, follower, logged, looks: () => looks, ended: () => ended() },
    fail: (error: Error | undefined) => {
      failure = error
    },
    async run(runId: string) {
      const submission = { pipeline: 'a', file: 'a.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
      const record = { type: 'run.submitted', ...submission, startedBy: 'ana', submitters: ['bob'] } as const
      await state.journal.submit({ runId, at: 1, record })
      const outputs = { rows: 3 }
      await state.journal.append(runId, [
        { seq: 1, at: 5, record: { type: 'run.finished', status: 'succeeded', outputs } },
      ])
    },
  }
}

test('between two looks it sleeps ten seconds, and looks at nothing that nobody follows', async () => {
  const { clock, follower, looks } = following()
  await clock.pass(60_000)
  expect([looks(), clock.sleeping]).toEqual([0, 1])
  follower.replace(FOLLOWING)
  await expect.poll(() => [looks(), clock.sleeping]).toEqual([1, 1])
  await clock.pass(9_999)
  expect(looks()).toBe(1)
  await clock.pass(1)
  await expect.poll(looks).toBe(2)
})

test('a run that ends is looked at at once, and its successor knows what it gave and who submitted it', async () => {
  const { fired, follower, looks, clock, ended, run } = following()
  follower.replace(FOLLOWING)
  await expect.poll(() => [looks(), clock.sleeping]).toEqual([1, 1])
  await run('r1')
  ended()
  await expect.poll(() => fired).toHaveLength(1)
  expect(fired[0]).toMatchObject({
    values: { runs: { a: { runId: 'r1', status: 'succeeded', outputs: { rows: 3 } } } },
    submitters: ['ana', 'bob'],
  })
  await expect.poll(() => [looks(), clock.sleeping]).toEqual([2, 1])
  ended()
  await expect.poll(looks).toBe(3)
  expect(fired).toHaveLength(1)
})

test('ends that cannot be looked at are told once, and looked at again', async () => {
  const { clock, fired, follower, looks, logged, run, fail } = following()
  follower.replace(FOLLOWING)
  await expect.poll(() => [looks(), clock.sleeping]).toEqual([1, 1])
  await run('r1')
  fail(new Error('broken'))
  for (const look of [2, 3]) {
    await clock.pass(10_000)
    await expect.poll(() => [looks(), clock.sleeping]).toEqual([look, 1])
  }
  expect(logged).toEqual([expect.stringContaining('will be retried')])
  fail(undefined)
  await clock.pass(10_000)
  await expect.poll(() => fired).toHaveLength(1)
})
