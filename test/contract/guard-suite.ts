import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '../../src/core/engine.ts'
import type { Guard, Step } from '../../src/core/pipeline.ts'
import type { HumanDecision, Signed } from '../../src/core/run.ts'
import type { RunEvent } from '../../src/core/run-event.ts'
import { block, expression, pipeline, step, template } from '../support/pipelines.ts'
import type { EngineWorld } from './engine-suite.ts'
import { isTaken } from './is-taken.ts'

const at = { file: '', line: 1, column: 1 }
const GUARD: Guard = { of: expression('outputs.matchCount'), learn: { runs: 30, warmUp: 3 }, onBreach: 'approve' }

/** What every engine promises about guards. The step `match` outputs the input `people` of the run. */
export function guardSuite(name: string, makeWorld: () => EngineWorld | Promise<EngineWorld>): void {
  describe(`guards: ${name}`, () => {
    let world: EngineWorld
    /** The steps that did their work, as `run step`. */
    let work: string[]
    beforeEach(async () => {
      world = await makeWorld()
      work = []
    })
    afterEach(() => world.remove())

    const open = (options?: Parameters<EngineWorld['open']>[1]) =>
      world.open(async ({ runId, stepKey }, { input }) => {
        work.push(`${runId} ${stepKey}`)
        return { matchCount: input.people ?? 0 }
      }, options)
    const document = (guard: Partial<Guard> = {}, own: Partial<Step> = {}) =>
      pipeline(
        [
          step('match', {
            with: template({ people: '${{ inputs.people }}' }),
            guard: { ...GUARD, ...guard },
            ...own,
          }),
          step('activate', { needs: ['match'], with: template({}) }),
        ],
        { inputs: { people: { type: 'integer', at } } },
      )
    const submit = (engine: Engine, runId: string, people: number, own: object = {}) =>
      engine.submit({ runId, pipeline: document(), inputs: { people }, trigger: {}, folder: '/', ...own })
    const run = async (engine: Engine, runId: string, people: number, own: object = {}) => {
      await submit(engine, runId, people, own)
      return all(engine.events(runId))
    }
    /** Good nights; the runs are a, b, c … */
    const nights = async (engine: Engine, values: readonly number[], own: object = {}) => {
      for (const [index, value] of values.entries()) await run(engine, 'abcdefghij'[index]!, value, own)
    }
    /** Follows a run until a step waits. */
    const untilHeld = async (engine: Engine, runId: string) => {
      const seen: RunEvent[] = []
      for await (const event of engine.events(runId)) {
        seen.push(event)
        if (event.event === 'step.waiting') return seen
      }
      throw new Error(`${runId} was not held: ${JSON.stringify(seen.at(-1))}`)
    }
    const decide = async (engine: Engine, runId: string, decision: HumanDecision, index?: number, signed?: Signed) => {
      await world.decide(runId, { step: 'match', ...(index !== undefined && { index }) }, decision, signed)
      return (await all(engine.events(runId))).at(-1)
    }

    test('a value outside the band is held, nothing after it begins, and a person sees why', async () => {
      const engine = await open()
      await nights(engine, [866, 860, 850])
      await submit(engine, 'd', 167)
      const events = await untilHeld(engine, 'd')
      expect(events.slice(-2)).toMatchObject([
        {
          ...{ event: 'step.guarded', step: 'match', value: 167, verdict: 'held' },
          breach: { limit: 'band', median: 860 },
          band: { low: 688, median: 860, high: 1032 },
          learnedFrom: ['c', 'b', 'a'],
        },
        {
          ...{ event: 'step.waiting', step: 'match', reason: 'approval' },
          error: {
            code: 'guard-held',
            message: '167 is outside 688 to 1,032, the band around 860 that was learned from 3 good runs, a to c',
          },
        },
      ])
      expect(work).not.toContain('d activate')
      expect(await decide(engine, 'd', 'approved')).toMatchObject({ event: 'run.finished', status: 'succeeded' })
      // The step does not work again: its outputs are the held ones.
      expect(work.filter((one) => one.startsWith('d '))).toEqual(['d match', 'd activate'])
      const finished = (await all(engine.events('d'))).filter(({ event }) => event === 'step.finished')
      expect(finished).toMatchObject([{ step: 'match', outputs: { matchCount: 167 } }, { step: 'activate' }])
    })

    test.each<[string, Partial<Guard>, Parameters<EngineWorld['open']>[1]]>([
      ['its document', { notBy: 'submitter' }, undefined],
      ['the policy', {}, { approvalsNotBy: 'submitter' }],
    ])('a value that is held by a guard is let through by somebody else, as %s says', async (_by, guard, policy) => {
      const engine = await open(policy)
      await nights(engine, [866, 860, 850])
      await submit(engine, 'd', 167, { pipeline: document(guard), startedBy: { by: 'ann' } })
      expect((await untilHeld(engine, 'd')).at(-1)).toMatchObject({
        notBy: ['ann'],
        error: { hint: expect.stringContaining('with --reject to say no; not by ann') },
      })
      await world.decide('d', { step: 'match' }, 'approved', { by: 'Ann' })
      await expect.poll(() => isTaken(world.decide('d', { step: 'match' }, 'rejected', { by: 'bob' }))).toBe(true)
      expect((await all(engine.events('d'))).at(-1)).toMatchObject({
        status: 'failed',
        error: { code: 'guard-rejected' },
      })
    })

    test('who says no fails the run, and nothing after the step is done', async () => {
      const engine = await open()
      await nights(engine, [866, 860, 850])
      await submit(engine, 'd', 167)
      await untilHeld(engine, 'd')
      expect(await decide(engine, 'd', 'rejected', undefined, { by: 'ann', comment: 'too few' })).toMatchObject({
        status: 'failed',
        error: {
          ...{ code: 'guard-rejected', step: 'match' },
          message: expect.stringMatching(/^step "match" was not approved by ann: "too few"; 167 is outside/),
        },
      })
      expect(work).not.toContain('d activate')
      // A rejected value is not learned: the same value is held again.
      await submit(engine, 'e', 167)
      expect((await untilHeld(engine, 'e')).at(-2)).toMatchObject({ learnedFrom: ['c', 'b', 'a'] })
    })

    test('of seven nights in a queue each is judged by those before it', async () => {
      const values = [866, 860, 850, 167, 840, 835, 830]
      const engine = await open()
      const groups = [{ name: 'nightly', limit: 1, onConflict: 'queue' }] as const
      const submitted = values.map((people, index) => submit(engine, `night-${index + 1}`, people, { groups }))
      expect((await Promise.all(submitted)).map(({ state }) => state)).toEqual(['running', ...Array(6).fill('queued')])
      await untilHeld(engine, 'night-4')
      expect(work.at(-1)).toBe('night-4 match')
      await decide(engine, 'night-4', 'rejected')
      const judged = []
      for (const night of values.keys()) {
        const events = await all(engine.events(`night-${night + 1}`))
        const { verdict, learnedFrom = [] } = events.find(({ event }) => event === 'step.guarded') as Guarded
        judged.push(`${verdict} by ${learnedFrom.map((runId) => runId.slice(-1)).join('')}`)
      }
      expect(judged).toEqual([
        ...['good by ', 'good by 1', 'good by 21', 'held by 321', 'good by 321', 'good by 5321', 'good by 65321'],
      ])
    })

    test('an approved value is one more good value, and near it others are good too; nothing else is', async () => {
      const engine = await open()
      await nights(engine, [866, 860, 850])
      await submit(engine, 'd', 167)
      await untilHeld(engine, 'd')
      await decide(engine, 'd', 'approved')
      expect((await run(engine, 'e', 180)).at(-1)).toMatchObject({ status: 'succeeded' })
      expect((await run(engine, 'f', 870)).at(-1)).toMatchObject({ status: 'succeeded' })
      await submit(engine, 'g', 400)
      expect((await untilHeld(engine, 'g')).at(-2)).toMatchObject({ learnedFrom: ['f', 'e', 'd', 'c', 'b', 'a'] })
    })

    test('`fail` fails the step with its reason, and whatever `retry` says its work is not done again', async () => {
      const engine = await open()
      const retry = { maxAttempts: 3, delayMs: 0, backoff: 1, maxDelayMs: 0, on: ['expectation', 'jobFailed'] } as const
      const strict = document({ onBreach: 'fail', learn: false, min: template(500) }, { retry })
      expect((await run(engine, 'a', 499, { pipeline: strict })).at(-1)).toMatchObject({
        ...{ status: 'failed' },
        error: {
          code: 'guard-breached',
          step: 'match',
          message: `step "match" was stopped by its guard: 499 is less than 500, the guard's min`,
        },
      })
      expect(work).toEqual(['a match'])
    })

    test('`warn` lets the run go on, and says so', async () => {
      const engine = await open()
      const gentle = { pipeline: document({ onBreach: 'warn' }) }
      await nights(engine, [866, 860, 850], gentle)
      const events = await run(engine, 'd', 167, gentle)
      expect(events.find(({ event }) => event === 'step.guarded')).toMatchObject({
        verdict: 'warned',
        breach: { low: 688 },
      })
      expect(events.at(-1)).toMatchObject({ status: 'succeeded' })
    })

    test('each item of a forEach has its own band, whatever its place in the list', async () => {
      const engine = await open()
      const each = (items: readonly object[], runId: string) => {
        const forEach = { items: template(items), as: 'item', maxParallel: 2 } as const
        const own = { forEach, with: template({ people: '${{ item.people }}' }) }
        return submit(engine, runId, 0, { pipeline: document({}, own) })
      }
      for (const runId of ['a', 'b', 'c']) {
        await each(
          [
            { id: 'x', people: 100 },
            { id: 'y', people: 9000 },
          ],
          runId,
        )
        await all(engine.events(runId))
      }
      await each(
        [
          { id: 'z', people: 5 },
          { id: 'y', people: 9100 },
          { id: 'x', people: 9000 },
        ],
        'd',
      )
      const events = await untilHeld(engine, 'd')
      expect(events.filter(({ event }) => event === 'step.waiting')).toMatchObject([{ index: 2, label: 'x' }])
      await decide(engine, 'd', 'approved', 2)
      const guarded = (await all(engine.events('d'))).filter(({ event }) => event === 'step.guarded') as Guarded[]
      expect(new Map(guarded.map(({ label, verdict }) => [label, verdict]))).toEqual(
        new Map([
          ['z', 'good'],
          ['y', 'good'],
          ['x', 'held'],
        ]),
      )
      expect(work).toContain('d activate')
    })

    test('in an item of a block it holds the steps after it in this item, and all that follows the block', async () => {
      const engine = await open()
      const sizes = (x: number) => [
        { id: 'x', people: x },
        { id: 'y', people: 9000 },
      ]
      const blockOf = (x: number) => {
        const match = step('match', { with: template({ people: '${{ item.people }}' }), guard: GUARD })
        const steps = [match, step('activate', { needs: ['match'] })]
        const forEach = { items: template(sizes(x)), key: template('${{ item.id }}') }
        return { pipeline: pipeline([block('each', steps, { forEach }), step('tell', { needs: ['each'] })]) }
      }
      for (const runId of ['a', 'b', 'c']) await run(engine, runId, 0, blockOf(100))
      await submit(engine, 'd', 0, blockOf(60))
      const seen: RunEvent[] = []
      let left = ['x is held', 'y is done']
      for await (const event of engine.events('d')) {
        seen.push(event)
        const isOtherDone = event.event === 'step.finished' && event.step === 'each' && event.key === 'y'
        const happened = event.event === 'step.waiting' ? 'x is held' : isOtherDone ? 'y is done' : ''
        if (!left.includes(happened)) continue
        left = left.filter((one) => one !== happened)
        if (left.length > 0) continue
        expect(work).not.toContain('d each[x].activate')
        await world.decide('d', { step: 'match', index: 0, key: 'x', block: 'each' }, 'approved')
      }
      expect(seen.find((one) => one.event === 'step.waiting')).toMatchObject({
        execution: 'each[x].match',
        error: { message: expect.stringMatching(/^60 is outside 80 to 120, .* from 3 good runs, a to c$/) },
      })
      expect(seen.at(-1)).toMatchObject({ status: 'succeeded' })
      expect(work.filter((one) => one.startsWith('d ')).sort()).toEqual([
        ...['d each[x].activate', 'd each[x].match', 'd each[y].activate', 'd each[y].match', 'd tell'],
      ])
    })

    test('items of one name are told apart by all that they are', async () => {
      const engine = await open()
      const items = [
        { id: 'x', people: 100 },
        { id: 'x', people: 9000 },
      ]
      const forEach = { items: template(items), as: 'item', maxParallel: 2 } as const
      const each = document({}, { forEach, with: template({ people: '${{ item.people }}' }) })
      for (const runId of ['a', 'b', 'c', 'd'])
        expect((await run(engine, runId, 0, { pipeline: each })).at(-1)).toMatchObject({ status: 'succeeded' })
    })

    test('a run that is resumed judges by what it had learned when it began, and is held as it was', async () => {
      const before = await open()
      await nights(before, [866, 860, 850])
      await submit(before, 'd', 167)
      await untilHeld(before, 'd')
      for (const runId of ['e', 'f', 'g', 'h', 'i'])
        await run(before, runId, 167, { pipeline: document({ onBreach: 'warn' }) })
      await world.crash()
      const after = await open()
      await after.resume('d')
      const [guarded, waiting] = (await untilHeld(after, 'd')).slice(-2)
      expect([guarded, waiting]).toMatchObject([{ learnedFrom: ['c', 'b', 'a'] }, { error: { code: 'guard-held' } }])
      expect(await decide(after, 'd', 'approved')).toMatchObject({ status: 'succeeded' })
      expect(work.filter((one) => one === 'd match')).toEqual(['d match'])
    })

    test('a guard that measures something else learns anew; one that is renamed too', async () => {
      const engine = await open()
      await nights(engine, [866, 860, 850])
      const share = document({ of: expression('outputs.matchCount / 1000') })
      expect((await run(engine, 'd', 500, { pipeline: share })).at(-1)).toMatchObject({ status: 'succeeded' })
    })

    test('a guard without a number fails its step', async () => {
      const engine = await open()
      const wrong = { pipeline: document({ of: expression('double(outputs.matchCount) / 0.0') }) }
      expect((await run(engine, 'a', 0, wrong)).at(-1)).toMatchObject({
        status: 'failed',
        error: { code: 'expression-failed', step: 'match' },
      })
    })
  })
}

type Guarded = Extract<RunEvent, { event: 'step.guarded' }>

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const list: RunEvent[] = []
  for await (const event of events) list.push(event)
  return list
}
