import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NotBy } from '../../src/core/approval.ts'
import { CHILD_RUN, type Engine, type StepContext, type StepRequest } from '../../src/core/engine.ts'
import { AudienceError, NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Actor, HumanDecision, Signed, StepRef } from '../../src/core/run.ts'
import type { RunEvent } from '../../src/core/run-event.ts'
import { expression, pipeline, step, template } from '../support/pipelines.ts'
import { isTaken } from './is-taken.ts'

/** The work of the only step type `work`, which accepts and returns anything. */
type Work = (context: StepContext, request: StepRequest) => Promise<JsonObject>

/**
 * An engine on a store. With `takesAll`, the test starts it. `crash` ends the engine without cleanup and leaves the
 * store as it is on disk.
 */
export interface EngineWorld {
  open(work: Work, options?: { readonly takesAll?: true; readonly approvalsNotBy?: NotBy }): Engine | Promise<Engine>
  /** Leaves a person's decision for the owner of a run, in the state that was opened last. */
  decide(runId: string, ref: StepRef, decision: HumanDecision, actor?: Actor): Promise<void>
  /** Acts like a pause that outlasts the lease: other engines may take the runs of the engines that are open. */
  endLeases(): void | Promise<void>
  crash(): void | Promise<void>
  remove(): Promise<void>
}

/** What every engine promises. */
export function engineSuite(name: string, makeWorld: () => EngineWorld | Promise<EngineWorld>): void {
  describe(`engine: ${name}`, () => {
    let world: EngineWorld
    beforeEach(async () => {
      world = await makeWorld()
    })
    afterEach(() => world.remove())

    const submit = (engine: Engine, request: Partial<Parameters<Engine['submit']>[0]> = {}) =>
      engine.submit({ runId: 'r', pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/', ...request })

    test('a run ends with its outputs, its events in order', async () => {
      const engine = await world.open(async (_context, { input }) => ({ got: input }))
      const steps = [
        step('a', { with: template({ x: 1 }) }),
        step('b', { needs: ['a'], with: template({ y: '${{ steps.a.outputs.got.x }}' }) }),
      ]
      await submit(engine, {
        pipeline: pipeline(steps, {
          outputs: { end: template('${{ steps.b.outputs.got.y + inputs.n }}') },
          inputs: { n: { type: 'integer', at: { file: '', line: 1, column: 1 } } },
        }),
        inputs: { n: 41n },
      })
      const events = await all(engine.events('r'))
      expect(events.map(brief)).toEqual([
        'run.started',
        'step.started a',
        'step.finished a succeeded',
        'step.started b',
        'step.finished b succeeded',
        'run.finished succeeded',
      ])
      // An event from a record has a number here; an event of this process has a bigint.
      expect(events.at(-1)).toMatchObject({ outputs: { end: expect.toSatisfy((end) => String(end) === '42') } })
    })

    test('the events of a run that has ended are the same again', async () => {
      const engine = await world.open(async () => ({}))
      await submit(engine)
      const live = await all(engine.events('r'))
      expect(await all(engine.events('r'))).toEqual(live)
    })

    test('the same dedupe key starts one run', async () => {
      let times = 0
      const engine = await world.open(async () => ({ times: ++times }))
      const first = await submit(engine, { runId: 'first', dedupeKey: 'slot' })
      const second = await submit(engine, { runId: 'second', dedupeKey: 'slot' })
      expect([first, second]).toEqual([
        { runId: 'first', existing: false, state: 'running' },
        { runId: 'first', existing: true, state: 'existing' },
      ])
      await all(engine.events('first'))
      expect(times).toBe(1)
    })

    test('a value recorded by once is never computed again, in no process', async () => {
      let effects = 0
      const reached = Promise.withResolvers<void>()
      const before = await world.open(async (context) => {
        const value = await context.once('answer', async () => ++effects)
        reached.resolve()
        await forever(context.signal)
        return { value }
      })
      await submit(before)
      await reached.promise
      await world.crash()
      const after = await world.open(async (context) => ({
        value: await context.once('answer', async () => ++effects),
      }))
      await after.resume('r')
      expect((await all(after.events('r'))).find(({ event }) => event === 'step.finished')).toMatchObject({
        outputs: { value: 1 },
      })
      expect(effects).toBe(1)
    })

    test('an effect that did not come to its end leaves nothing behind', async () => {
      const reached = Promise.withResolvers<void>()
      const before = await world.open(async (context) => {
        await context.once('intent', async () => 'sent')
        await context.once('answer', async (signal) => {
          reached.resolve()
          await forever(signal)
          return 'never'
        })
        return {}
      })
      await submit(before)
      await reached.promise
      await world.crash()
      const seen: unknown[] = []
      const after = await world.open(async (context) => {
        let fresh = false
        seen.push(
          await context.once('intent', async () => {
            fresh = true
            return 'again'
          }),
          fresh,
        )
        seen.push(await context.once('answer', async () => 'reconciled'))
        return {}
      })
      await after.resume('r')
      await all(after.events('r'))
      expect(seen).toEqual(['sent', false, 'reconciled'])
    })

    test('steps that are done are not done again after a crash', async () => {
      const calls: string[] = []
      const reached = Promise.withResolvers<void>()
      const before = await world.open(async (context) => {
        calls.push(context.stepId)
        if (context.stepId === 'b') {
          reached.resolve()
          await forever(context.signal)
        }
        return { by: context.stepId }
      })
      await submit(before, {
        pipeline: pipeline([step('a'), step('b', { needs: ['a'] })], {
          outputs: { a: template('${{ steps.a.outputs.by }}') },
        }),
      })
      await reached.promise
      // Events are durable, so a crash after an event loses nothing.
      for await (const event of before.events('r')) if (event.event === 'step.finished') break
      await world.crash()
      const after = await world.open(async (context) => {
        calls.push(context.stepId)
        return { by: context.stepId }
      })
      await after.resume('r')
      expect((await all(after.events('r'))).at(-1)).toMatchObject({ status: 'succeeded', outputs: { a: 'a' } })
      expect(calls).toEqual(['a', 'b', 'b'])
    })

    test('a failure ends the run, names the step and its place, and skips what needs it; a branch beside it goes on', async () => {
      const engine = await world.open(async (context) => {
        if (context.stepId === 'bad')
          throw new AudienceError({ code: 'no-luck', kind: 'failed', message: 'no luck', hint: 'try again' })
        return {}
      })
      const steps = [step('bad'), step('after', { needs: ['bad'] }), step('beside'), step('last', { needs: ['after'] })]
      await submit(engine, { pipeline: pipeline(steps) })
      const events = await all(engine.events('r'))
      expect(statuses(events)).toEqual({ bad: 'failed', after: 'skipped', beside: 'succeeded', last: 'skipped' })
      expect(events.at(-1)).toMatchObject({
        status: 'failed',
        error: { code: 'no-luck', hint: 'try again', at: { file: 'test.yaml' } },
      })
    })

    test('continueOnError, if, success() and failure()', async () => {
      const engine = await world.open(async (context) => {
        if (context.stepId.startsWith('bad')) throw new AudienceError({ code: 'x', kind: 'failed', message: 'x' })
        return {}
      })
      const steps = [
        step('badButFine', { continueOnError: true }),
        step('goesOn', { needs: ['badButFine'] }),
        step('notWanted', { if: expression('1 > 2') }),
        step('afterSkipped', { needs: ['notWanted'] }),
        step('bad'),
        step('onlyWell', { needs: ['bad'], if: expression('success()') }),
        step('cleanUp', { needs: ['bad'], if: expression('failure()') }),
        step('onlyText', { needs: ['bad'], if: expression('"x" != "failure (of last night)"') }),
      ]
      await submit(engine, { pipeline: pipeline(steps) })
      expect(statuses(await all(engine.events('r')))).toEqual({
        badButFine: 'failed',
        goesOn: 'succeeded',
        notWanted: 'skipped',
        afterSkipped: 'succeeded',
        bad: 'failed',
        onlyWell: 'skipped',
        cleanUp: 'succeeded',
        onlyText: 'skipped',
      })
    })

    test('onFailure runs after a failure, finally always, both in order', async () => {
      const order: string[] = []
      const engine = await world.open(async ({ stepId }) => {
        order.push(stepId)
        if (stepId === 'bad') throw new AudienceError({ code: 'x', kind: 'failed', message: 'x' })
        return {}
      })
      const ends = { onFailure: [step('tell'), step('tellMore', { needs: ['tell'] })], finally: [step('tidy')] }
      await submit(engine, { runId: 'bad', pipeline: pipeline([step('bad')], ends) })
      await submit(engine, { runId: 'good', pipeline: pipeline([step('good')], ends) })
      const [bad, good] = await Promise.all([all(engine.events('bad')), all(engine.events('good'))])
      expect(bad.at(-1)).toMatchObject({ status: 'failed' })
      expect(good.at(-1)).toMatchObject({ status: 'succeeded' })
      expect(order.filter((id) => id !== 'good')).toEqual(expect.arrayContaining(['bad', 'tell', 'tellMore', 'tidy']))
      expect(Object.keys(statuses(bad))).toEqual(['bad', 'tell', 'tellMore', 'tidy'])
      expect(Object.keys(statuses(good))).toEqual(['good', 'tidy'])
    })

    test('forEach gives outputs in index order, never more at a time than maxParallel', async () => {
      let atOnce = 0
      let most = 0
      const two = Promise.withResolvers<void>()
      const engine = await world.open(async (_context, { input }) => {
        atOnce += 1
        most = Math.max(most, atOnce)
        if (atOnce === 2) two.resolve()
        await two.promise
        // A third run would start during this time.
        await new Promise((resolve) => setTimeout(resolve, 5))
        atOnce -= 1
        return { twice: Number(input.n) * 2 }
      })
      const each = step('each', {
        forEach: { items: template([3, 1, 2, 5]), as: 'n', maxParallel: 2 },
        with: template({ n: '${{ n }}' }),
      })
      await submit(engine, {
        pipeline: pipeline([each], { outputs: { second: template('${{ steps.each.outputs[1].twice }}') } }),
      })
      const events = await all(engine.events('r'))
      expect(events.at(-1)).toMatchObject({ outputs: { second: expect.toSatisfy((second) => String(second) === '2') } })
      expect(events.filter(({ event }) => event === 'step.finished').at(-1)).toMatchObject({
        step: 'each',
        outputs: [{ twice: 6 }, { twice: 2 }, { twice: 4 }, { twice: 10 }],
      })
      expect(most).toBe(2)
    })

    test('an item keeps the types of its fields, a whole number too', async () => {
      const engine = await world.open(async (_context, { input }) => ({ half: input.half ?? null }))
      const itemSchema = { type: 'object', properties: { cpm: { type: 'number' }, id: { type: 'integer' } } }
      const each = step('each', {
        forEach: { items: template([{ cpm: 3, id: 1 }]), as: 'it', maxParallel: 1, itemSchema },
        with: template({ half: '${{ it.cpm * 0.5 + double(it.id + 1) }}' }),
      })
      await submit(engine, { pipeline: pipeline([each]) })
      expect((await all(engine.events('r'))).findLast(({ event }) => event === 'step.finished')).toMatchObject({
        outputs: [{ half: 3.5 }],
      })
    })

    test('retry makes another attempt for the reasons that it names, up to maxAttempts', async () => {
      let attempts = 0
      const engine = await world.open(async () => {
        attempts += 1
        throw new AudienceError({ code: 'job-failed', kind: 'failed', message: 'the job failed' })
      })
      const retry = { maxAttempts: 3, delayMs: 1, backoff: 2, maxDelayMs: 5, on: ['jobFailed'] as const }
      await submit(engine, { runId: 'listed', pipeline: pipeline([step('a', { retry })]) })
      expect((await all(engine.events('listed'))).map(brief)).toEqual([
        'run.started',
        'step.started a',
        'step.retry a',
        'step.started a',
        'step.retry a',
        'step.started a',
        'step.finished a failed',
        'run.finished failed',
      ])
      await submit(engine, {
        runId: 'other',
        pipeline: pipeline([step('a', { retry: { ...retry, on: ['timeout'] } })]),
      })
      await all(engine.events('other'))
      expect(attempts).toBe(4)
    })

    test('a write that was announced is not made anew because its step ran out of time', async () => {
      const made: string[] = []
      const engine = await world.open(async (context) => {
        await context.once('intent', async () => 'going to')
        await context.once('answer', async () => {
          made.push('made')
          return 'made'
        })
        if (context.attempt === 1) await forever(context.signal)
        return { attempt: context.attempt }
      })
      const retry = { maxAttempts: 2, delayMs: 1, backoff: 1, maxDelayMs: 1, on: ['timeout'] as const }
      await submit(engine, { pipeline: pipeline([step('a', { retry, timeoutMs: 5000 })]) })
      expect((await all(engine.events('r'))).at(-2)).toMatchObject({ status: 'succeeded', outputs: { attempt: 2 } })
      expect(made).toEqual(['made'])
    })

    test('a step out of time fails, and its signal aborts', async () => {
      let aborted = false
      const engine = await world.open(async ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return forever(signal)
      })
      await submit(engine, { pipeline: pipeline([step('slow', { timeoutMs: 20 })]) })
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({ status: 'failed', error: { code: 'timeout' } })
      expect(aborted).toBe(true)
    })

    test('an expectation that does not hold fails the step and says so', async () => {
      const engine = await world.open(async () => ({ matchCount: 3 }))
      const expectation = { check: expression('outputs.matchCount >= 100'), message: template('too few') }
      await submit(engine, { pipeline: pipeline([step('match', { expect: [expectation] })]) })
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({
        error: {
          code: 'expectation-failed',
          message: expect.stringContaining('too few'),
          hint: expect.stringContaining('must be true'),
        },
      })
    })

    test('stop leaves a run as it is recorded, and resume goes on', async () => {
      const reached = Promise.withResolvers<void>()
      const before = await world.open(async ({ signal }) => {
        reached.resolve()
        return forever(signal)
      })
      await submit(before)
      const watched = expect(all(before.events('r'))).rejects.toMatchObject({
        code: 'interrupted',
        kind: 'interrupted',
      })
      await reached.promise
      await before.stop(1000)
      await watched
      await world.crash()
      const after = await world.open(async () => ({}))
      await after.resume('r')
      expect((await all(after.events('r'))).at(-1)).toMatchObject({ status: 'succeeded' })
    })

    test('a step that needs a person waits, is told the decision, and the rest goes on', async () => {
      const engine = await world.open(async ({ stepId, decision }) => {
        if (stepId === 'ask' && !decision)
          throw new NeedsPersonError('approval', { code: 'approval-needed', message: 'may I?' })
        return { decision: decision ?? 'none' }
      })
      await submit(engine, { pipeline: pipeline([step('ask'), step('after', { needs: ['ask'] }), step('beside')]) })
      const seen: string[] = []
      for await (const event of engine.events('r')) {
        seen.push(brief(event))
        if (event.event === 'step.waiting') await world.decide('r', { step: 'ask' }, 'approved')
      }
      expect(seen).toContain('step.finished beside succeeded')
      expect(seen.slice(-5)).toEqual([
        'step.decided ask',
        'step.finished ask succeeded',
        'step.started after',
        'step.finished after succeeded',
        'run.finished succeeded',
      ])
    })

    test('only a decision of an approver with a comment counts; the wait goes on in the next process', async () => {
      const terms = { approvers: ['ann'], needsComment: true } as const
      const ask = async ({ decision }: StepContext) => {
        if (!decision) throw new NeedsPersonError('approval', { code: 'approval-needed', message: 'may I?' }, terms)
        return { decision }
      }
      const before = await world.open(ask)
      await submit(before)
      for await (const event of before.events('r')) if (event.event === 'step.waiting') break
      await world.crash()
      const after = await world.open(ask)
      await after.resume('r')
      // A decision is refused while another one has not been processed.
      const decide = (decision: 'approved' | 'rejected', signed: Signed) =>
        expect.poll(() => isTaken(world.decide('r', { step: 'a' }, decision, signed))).toBe(true)
      await decide('rejected', { by: 'bob', comment: 'no' })
      await decide('rejected', { by: 'ann' })
      await decide('approved', { by: 'ann', comment: 'yes' })
      const events = await all(after.events('r'))
      expect(events.filter(({ event }) => event === 'step.decided')).toMatchObject([{ by: 'ann', comment: 'yes' }])
      expect(events.find(({ event }) => event === 'step.waiting')).toMatchObject(terms)
      expect(events.at(-1)).toMatchObject({ status: 'succeeded' })
    })

    describe('an approval that is not given by a submitter', () => {
      const ask = (notBy?: NotBy) => async (context: StepContext) => {
        if (context.decision) return { decision: context.decision }
        throw new NeedsPersonError('approval', { code: 'approval-needed', message: 'may I?' }, { notBy })
      }
      const waiting = async (engine: Engine) => {
        for await (const event of engine.events('r')) if (event.event === 'step.waiting') return event
        throw new Error('it did not wait')
      }
      const decide = (signed: Signed) =>
        expect.poll(() => isTaken(world.decide('r', { step: 'a' }, 'approved', signed))).toBe(true)

      test.each<[string, { own?: NotBy; policy?: NotBy }]>([
        ['as its document says', { own: 'submitter' }],
        ['as the policy says', { policy: 'submitter' }],
      ])('%s, counts only from somebody else, whatever form the name has', async (_by, { own, policy }) => {
        const engine = await world.open(ask(own), policy && { approvalsNotBy: policy })
        await submit(engine, { startedBy: { by: 'ann' }, submitters: ['ann', 'carl'] })
        expect(await waiting(engine)).toMatchObject({
          notBy: ['ann', 'carl'],
          error: { hint: expect.stringContaining('not by ann or carl') },
        })
        for (const by of ['ann', 'Ann', 'a\u200bnn', 'ann@example.com', 'CARL']) await decide({ by })
        await decide({})
        await decide({ by: 'bob' })
        const events = await all(engine.events('r'))
        expect(events.filter(({ event }) => event === 'step.decided')).toMatchObject([{ by: 'bob' }])
      })

      test('is asked of anybody if nobody started the run', async () => {
        const engine = await world.open(ask('submitter'), { approvalsNotBy: 'submitter' })
        await submit(engine)
        expect(await waiting(engine)).not.toHaveProperty('notBy')
        await decide({ by: 'ann' })
        expect((await all(engine.events('r'))).at(-1)).toMatchObject({ status: 'succeeded' })
      })

      test('says when no approver is left', async () => {
        const terms = { notBy: 'submitter', approvers: ['ann'] } as const
        const engine = await world.open(async () => {
          throw new NeedsPersonError('approval', { code: 'approval-needed', message: 'may I?' }, terms)
        })
        await submit(engine, { startedBy: { by: 'ann' } })
        expect(await waiting(engine)).toMatchObject({
          error: { hint: expect.stringContaining('none of its approvers may decide: cancel it') },
        })
      })

      test('a decision about a write in doubt is no approval', async () => {
        const engine = await world.open(
          async ({ decision }) => {
            if (decision) return { decision }
            throw new NeedsPersonError('decision', { code: 'outcome-unknown', message: 'was it sent?' })
          },
          { approvalsNotBy: 'submitter' },
        )
        await submit(engine, { startedBy: { by: 'ann' } })
        expect(await waiting(engine)).not.toHaveProperty('notBy')
        await world.decide('r', { step: 'a' }, 'done', { by: 'ann' })
        expect((await all(engine.events('r'))).at(-1)).toMatchObject({ status: 'succeeded' })
      })
    })

    test('an approval that has its own time fails the step when that is over', async () => {
      const engine = await world.open(async () => {
        const details = { code: 'approval-needed', message: 'may I?' }
        throw new NeedsPersonError('approval', details, { timeoutMs: 30 })
      })
      await submit(engine)
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({
        status: 'failed',
        error: { code: 'approval-timeout', message: 'nobody decided about step "a" within 0.0 s' },
      })
    })

    test('a step without a decision in time fails', async () => {
      const engine = await world.open(async () => {
        throw new NeedsPersonError('approval', { code: 'approval-needed', message: 'may I?' })
      })
      await submit(engine, { pipeline: pipeline([step('ask', { timeoutMs: 30 })]) })
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({
        status: 'failed',
        error: { code: 'approval-timeout' },
      })
    })

    test('a forEach that tolerates failures does all of its items', async () => {
      const engine = await world.open(async (_context, { input }) => {
        if (input.n === 1) throw new AudienceError({ code: 'x', kind: 'failed', message: 'x' })
        return { n: input.n ?? null }
      })
      const forEach = { items: template([1, 2, 3]), as: 'n', maxParallel: 1 }
      const each = (id: string, continueOnError: boolean) =>
        step(id, { forEach, continueOnError, with: template({ n: '${{ n }}' }) })
      await submit(engine, { pipeline: pipeline([each('all', true), each('first', false)]) })
      const finished = (await all(engine.events('r'))).filter((event) => event.event === 'step.finished')
      expect(finished.find(({ step: id, index }) => id === 'all' && index === undefined)).toMatchObject({
        status: 'failed',
        outputs: [null, { n: 2 }, { n: 3 }],
      })
      expect(finished.filter(({ step: id, index }) => id === 'first' && index !== undefined)).toHaveLength(1)
    })

    test('a decision waits for whoever takes the run up; "again" makes a fresh attempt', async () => {
      const ask = async ({ attempt }: StepContext) => {
        if (attempt === 1) throw new NeedsPersonError('decision', { code: 'outcome-unknown', message: 'was it done?' })
        return { attempt }
      }
      const before = await world.open(ask)
      await submit(before, { pipeline: pipeline([step('ask')]) })
      for await (const event of before.events('r')) if (event.event === 'step.waiting') break
      await world.crash()
      const after = await world.open(ask)
      await world.decide('r', { step: 'ask' }, 'again')
      await after.resume('r')
      expect((await all(after.events('r'))).find(({ event }) => event === 'step.finished')).toMatchObject({
        outputs: { attempt: 2 },
      })
    })

    test('cancel ends what is under way and what has not begun; finally still runs', async () => {
      const engine = await world.open(async ({ stepId, signal }) => (stepId === 'slow' ? forever(signal) : {}))
      const steps = [step('first'), step('slow', { needs: ['first'] }), step('never', { needs: ['slow'] })]
      await submit(engine, { pipeline: pipeline(steps, { finally: [step('tidy')], onFailure: [step('tell')] }) })
      const seen: RunEvent[] = []
      for await (const event of engine.events('r')) {
        seen.push(event)
        if (event.event === 'step.started' && event.step === 'slow') await engine.cancel('r')
      }
      expect(statuses(seen)).toEqual({ first: 'succeeded', slow: 'cancelled', never: 'cancelled', tidy: 'succeeded' })
      expect(seen.at(-1)).toMatchObject({ event: 'run.finished', status: 'cancelled' })
    })

    test('a run cancelled while no process is working on it starts no further step, even if one was approved', async () => {
      const begun = new Set<string>()
      const work: Work = async ({ stepId, decision }) => {
        begun.add(stepId)
        if (stepId === 'ask' && !decision)
          throw new NeedsPersonError('approval', { code: 'approval-needed', message: 'may I?' })
        return {}
      }
      const before = await world.open(work)
      const steps = [step('ask'), step('after', { needs: ['ask'] })]
      await submit(before, { pipeline: pipeline(steps, { finally: [step('tidy')] }) })
      for await (const event of before.events('r')) if (event.event === 'step.waiting') break
      await world.crash()
      const engine = await world.open(work)
      await world.decide('r', { step: 'ask' }, 'approved')
      await engine.cancel('r')
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({ status: 'cancelled' })
      expect([...begun]).toEqual(['ask', 'tidy'])
    })

    test('a run cancelled while no process is working on it passes the cancel on to the run that its step started', async () => {
      const told: string[] = []
      const work: Work = async ({ stepId, once, signal }) => {
        const child = await once(stepId === 'child' ? CHILD_RUN : 'look', async () => `${stepId}-run`)
        told.push(`${child}${signal.aborted ? ' is cancelled' : ''}`)
        await new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
        return {}
      }
      const before = await world.open(work)
      await submit(before, { pipeline: pipeline([step('child'), step('look', { needs: [] })]) })
      await expect.poll(() => told.length).toBe(2)
      await world.crash()
      const engine = await world.open(work)
      await engine.cancel('r')
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({ status: 'cancelled' })
      expect(told.toSorted()).toEqual(['child-run', 'child-run is cancelled', 'look-run'])
    })

    test('a run that nobody works on is taken up by an engine that was started', async () => {
      const reached = Promise.withResolvers<void>()
      const before = await world.open(async ({ signal }) => {
        reached.resolve()
        return forever(signal)
      })
      await submit(before)
      await reached.promise
      await world.crash()
      const after = await world.open(async () => ({ by: 'after' }), { takesAll: true })
      after.start()
      expect((await all(after.events('r'))).at(-1)).toMatchObject({ status: 'succeeded' })
    })

    test('a run that another engine works on cannot be resumed, and can be watched', async () => {
      const go = Promise.withResolvers<void>()
      const one = await world.open(async () => {
        await go.promise
        return {}
      })
      const other = await world.open(async () => ({}))
      await submit(one)
      await expect(other.resume('r')).rejects.toMatchObject({ code: 'run-taken-over' })
      const watched = all(other.events('r'))
      go.resolve()
      expect((await watched).map(brief)).toEqual([
        'run.started',
        'step.started a',
        'step.finished a succeeded',
        'run.finished succeeded',
      ])
    })

    test('an engine that was paused may send nothing for a run that another has taken, and keeps the others', async () => {
      const asked: string[] = []
      const go = Promise.withResolvers<void>()
      const one = await world.open(async ({ runId, assertOwned }) => {
        await assertOwned()
        asked.push(`${runId} before`)
        await go.promise
        try {
          await assertOwned()
          asked.push(`${runId} after`)
        } catch (error) {
          asked.push(`${runId} ${error instanceof AudienceError && error.code}`)
          throw error
        }
        return {}
      })
      const other = await world.open(async () => ({ by: 'other' }))
      await submit(one, { runId: 'taken' })
      await submit(one, { runId: 'kept' })
      await expect.poll(() => asked.toSorted()).toEqual(['kept before', 'taken before'])
      await world.endLeases()
      await other.resume('taken')
      expect((await all(other.events('taken'))).at(-1)).toMatchObject({ status: 'succeeded' })
      go.resolve()
      await expect
        .poll(() => asked.toSorted())
        .toEqual(['kept after', 'kept before', 'taken before', 'taken run-taken-over'])
      expect((await all(one.events('kept'))).at(-1)).toMatchObject({ status: 'succeeded' })
      // The paused engine has recorded nothing more for the run that was taken.
      const events = (await all(other.events('taken'))).map(brief)
      expect(events.filter((event) => event.startsWith('step.finished'))).toEqual(['step.finished a succeeded'])
    })

    test('a seeded run does not do again what it was given', async () => {
      const calls: string[] = []
      const engine = await world.open(async ({ stepId, pipeline: name }) => {
        calls.push(stepId)
        return { by: stepId, name }
      })
      const document = pipeline(
        [step('a'), step('b', { needs: ['a'], with: template({ x: '${{ steps.a.outputs.by }}' }) })],
        {
          outputs: { a: template('${{ steps.a.outputs.by }}') },
        },
      )
      await submit(engine, {
        pipeline: document,
        seed: { runId: 'earlier', kept: [{ step: 'a', from: 'earlier', outputs: { by: 'earlier' } }] },
      })
      expect((await all(engine.events('r'))).at(-1)).toMatchObject({ outputs: { a: 'earlier' } })
      expect(calls).toEqual(['b'])
    })

    test('a seeded forEach does not do an item again that was done; an item that changed, moved or is new is done', async () => {
      const calls: unknown[] = []
      const engine = await world.open(async (_context, { input }) => {
        calls.push(input.of)
        return { did: input.of ?? null }
      })
      const id = 9001
      const forEach = {
        items: template([{ id, n: 'a' }, { n: 'b' }, { n: 'C' }, { n: 'e' }, { n: 'd' }]),
        as: 'item',
        maxParallel: 2,
      }
      const each = step('each', { forEach, with: template({ of: '${{ item.n }}' }) })
      const done = [{ n: 'a', id }, { n: 'b' }, { n: 'c' }, { n: 'd' }].map((item, index) => ({
        ...{ step: 'each', index, item, from: index === 0 ? 'first' : 'second' },
        outputs: { did: `${item.n} before` },
      }))
      const outputs = { all: template('${{ steps.each.outputs.map(one, one.did) }}') }
      await submit(engine, { pipeline: pipeline([each], { outputs }), seed: { runId: 'second', kept: done } })
      const events = await all(engine.events('r'))
      expect(calls.sort()).toEqual(['C', 'd', 'e'])
      expect(events.at(-1)).toMatchObject({ outputs: { all: ['a before', 'b before', 'C', 'e', 'd'] } })
      const kept = events.filter((event) => 'keptFrom' in event && event.keptFrom !== undefined)
      expect(kept).toMatchObject([
        { event: 'step.finished', step: 'each', index: 0, status: 'succeeded', keptFrom: 'first' },
        { event: 'step.finished', step: 'each', index: 1, status: 'succeeded', keptFrom: 'second' },
      ])
      expect(kept).toHaveLength(2)
    })

    test('a seeded step continues from the effects of the write that an earlier run announced; "again" makes it anew', async () => {
      const made: string[] = []
      const engine = await world.open(async (context, { input }) => {
        const intent = await context.once('intent', async () => ({ operation: 'make', of: input.of ?? null }))
        const answer = await context.once('answer', async () => {
          if (intent.of === 'lost' && context.decision === undefined)
            throw new NeedsPersonError('decision', { code: 'outcome-unknown', message: 'was it done?' })
          made.push(`${context.stepKey}#${context.attempt}`)
          return 'made now'
        })
        return { answer, of: intent.of }
      })
      const forEach = { items: template(['answered', 'lost', 'moved', 'new']), as: 'item', maxParallel: 1 }
      const effects = (of: string, own: JsonObject = {}) => ({ intent: { operation: 'make', of }, ...own })
      const kept = [
        { index: 0, item: 'answered', effects: effects('answered', { answer: 'made before' }) },
        { index: 1, item: 'lost', effects: effects('lost') },
        { index: 2, item: 'other', effects: effects('other', { answer: 'made before' }) },
      ].map((execution) => ({ step: 'each', from: 'earlier', ...execution }))
      const one = { step: 'one', from: 'earlier', effects: effects('as it was sent', { answer: 'made before' }) }
      const steps = [
        step('each', { forEach, with: template({ of: '${{ item }}' }) }),
        step('one', { needs: ['each'], with: template({ of: 'as it is asked for now' }) }),
      ]
      await submit(engine, { pipeline: pipeline(steps), seed: { runId: 'earlier', kept: [...kept, one] } })
      const events: RunEvent[] = []
      for await (const event of engine.events('r')) {
        events.push(event)
        if (event.event !== 'step.waiting') continue
        expect(made).toEqual([])
        await world.decide('r', { step: 'each', index: 1 }, 'again')
      }
      expect(made).toEqual(['each[1]#2', 'each[2]#1', 'each[3]#1'])
      const outputs = events.flatMap((event) => (event.event === 'step.finished' ? [event.outputs] : []))
      expect(outputs).toMatchObject([
        { answer: 'made before', of: 'answered' },
        { answer: 'made now', of: 'lost' },
        { answer: 'made now', of: 'moved' },
        { answer: 'made now', of: 'new' },
        expect.anything(),
        { answer: 'made before', of: 'as it was sent' },
      ])
    })

    test('variables are computed once: what resumes the run reads the same, with its types', async () => {
      const variables = {
        half: { value: template('${{ inputs.ratio * 0.5 }}'), schema: { type: 'number' } },
        id: { value: template('${{ inputs.id }}'), schema: { type: 'integer' } },
        at: { value: template('${{ now() }}'), schema: { type: 'string' } },
      }
      const outputs = {
        double: template('${{ variables.half * 2.5 }}'),
        next: template('${{ variables.id + 1 }}'),
        isOld: template('${{ timestamp(variables.at) == run.startedAt }}'),
      }
      const at = { file: 'test.yaml', line: 1, column: 1 }
      const inputs = { ratio: { type: 'number', at }, id: { type: 'integer', at } } as const
      const reached = Promise.withResolvers<void>()
      const before = await world.open(async (context) => {
        reached.resolve()
        return forever(context.signal)
      })
      await submit(before, {
        pipeline: pipeline([step('a')], { variables, outputs, inputs }),
        inputs: { ratio: 2, id: 9007199254740993n },
      })
      await reached.promise
      await world.crash()
      const after = await world.open(async () => ({}))
      await after.resume('r')
      expect((await all(after.events('r'))).at(-1)).toMatchObject({
        status: 'succeeded',
        outputs: { double: 2.5, next: 9007199254740994n, isOld: true },
      })
    })

    test('`last` is what the last successful run gave', async () => {
      let count = 10
      const engine = await world.open(async () => ({ matchCount: count }))
      const grown = {
        check: expression('!has(last.outputs) || outputs.matchCount * 2 >= last.outputs.matchCount'),
        message: template('lost too many'),
      }
      const document = pipeline([step('match', { expect: [grown] })])
      const outcomes: unknown[] = []
      for (const next of [10, 6, 2, 3]) {
        count = next
        await submit(engine, { runId: `r${next}`, pipeline: document })
        outcomes.push((await all(engine.events(`r${next}`))).at(-1))
      }
      expect(outcomes).toMatchObject([
        { status: 'succeeded' },
        { status: 'succeeded' },
        { status: 'failed' },
        { status: 'succeeded' },
      ])
    })

    test('`last` is read when a run begins: of seven nights in a queue each is compared with the good one before it', async () => {
      const counts = [866, 860, 850, 167, 840, 835, 830]
      const engine = await world.open(async (_context, { input }) => ({ matchCount: counts[Number(input.night) - 1]! }))
      const guard = {
        check: expression('!has(last.outputs) || outputs.matchCount * 2 >= last.outputs.matchCount'),
        message: template('lost more than half'),
      }
      const document = pipeline(
        [step('match', { with: template({ night: '${{ inputs.night }}' }), expect: [guard] })],
        {
          inputs: { night: { type: 'integer', at: { file: '', line: 1, column: 1 } } },
          outputs: { before: template('${{ string(default(last.steps.match.outputs.matchCount, 0)) }}') },
        },
      )
      const nights = counts.map((_, index) => `night-${index + 1}`)
      const groups = [{ name: 'nightly', limit: 1, onConflict: 'queue' }] as const
      const submitted = nights.map((runId, index) =>
        submit(engine, { runId, pipeline: document, inputs: { night: index + 1 }, groups }),
      )
      expect((await Promise.all(submitted)).map(({ state }) => state)).toEqual(['running', ...Array(6).fill('queued')])
      const ends = await Promise.all(nights.map(async (runId) => (await all(engine.events(runId))).at(-1)))
      expect(ends).toMatchObject([
        { status: 'succeeded', outputs: { before: '0' } },
        { status: 'succeeded', outputs: { before: '866' } },
        { status: 'succeeded', outputs: { before: '860' } },
        { status: 'failed', error: { code: 'expectation-failed', step: 'match' } },
        { status: 'succeeded', outputs: { before: '850' } },
        { status: 'succeeded', outputs: { before: '840' } },
        { status: 'succeeded', outputs: { before: '835' } },
      ])
    })

    test('a run that is resumed sees the same `last`, whatever succeeded meanwhile; also where there was none', async () => {
      const reached = Promise.withResolvers<void>()
      const document = pipeline([step('match')], {
        outputs: { before: template('${{ default(last.steps.match.outputs.by, "nothing") }}') },
      })
      const before = await world.open(async ({ runId, signal }) => {
        if (runId !== 'held') return { by: runId }
        reached.resolve()
        await forever(signal)
        return {}
      })
      await submit(before, { runId: 'held', pipeline: document })
      await reached.promise
      await submit(before, { runId: 'meanwhile', pipeline: document })
      await all(before.events('meanwhile'))
      await world.crash()
      const after = await world.open(async () => ({}))
      await after.resume('held')
      expect((await all(after.events('held'))).at(-1)).toMatchObject({ outputs: { before: 'nothing' } })
    })

    test('stop lets a write that is under way finish, and nothing more', async () => {
      const reached = Promise.withResolvers<void>()
      const made = Promise.withResolvers<string>()
      const seen: unknown[] = []
      const before = await world.open(async (context) => {
        await context.once('intent', async () => 'going to')
        await context.once(
          'answer',
          async () => {
            reached.resolve()
            return made.promise
          },
          { untilAnswered: true },
        )
        await context.once('more', async () => {
          seen.push('more')
          return 'more'
        })
        return {}
      })
      await submit(before)
      await reached.promise
      const stopped = before.stop(100_000)
      made.resolve('made')
      await stopped
      expect(seen).toEqual([])
      await world.crash()
      const after = await world.open(async (context) => {
        for (const name of ['intent', 'answer']) seen.push(await context.once(name, async () => `${name} again`))
        return {}
      })
      await after.resume('r')
      await all(after.events('r'))
      expect(seen).toEqual(['going to', 'made'])
    })

    test('a run that nobody knows is a usage error', async () => {
      const engine = await world.open(async () => ({}))
      await expect(engine.resume('nobody')).rejects.toMatchObject({ code: 'unknown-run', kind: 'usage' })
      await expect(all(engine.events('nobody'))).rejects.toMatchObject({ code: 'unknown-run' })
    })
  })
}

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const list: RunEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

function brief(event: RunEvent): string {
  return [event.event, 'step' in event && event.step, 'status' in event && event.status].filter(Boolean).join(' ')
}

function statuses(events: readonly RunEvent[]): Record<string, string> {
  const finished = events.filter((event) => event.event === 'step.finished')
  return Object.fromEntries(finished.map(({ step, status }) => [step, status]))
}

function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}
