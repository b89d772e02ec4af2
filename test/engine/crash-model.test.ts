import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StepContext } from '../../src/core/engine.ts'
import { AudienceError } from '../../src/core/errors.ts'
import type { Pipeline, Step } from '../../src/core/pipeline.ts'
import type { StoredRecord } from '../../src/core/run.ts'
import { createEngine } from '../../src/engine/create-engine.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, template } from '../support/pipelines.ts'

/*
 * Random graphs of steps, some of which fail, run by engines that die after a random number of records, again and again.
 * Whatever happens:
 *   1. the run ends, and its records say so exactly once, last;
 *   2. every step ends exactly once, and a forEach once for each item;
 *   3. a step begins only after all that it needs has ended, and never when one of those failed;
 *   4. of the effects of an attempt each is computed at most once more than there were deaths, and never again once its
 *      value is recorded;
 *   5. the run failed exactly when a step that could run was one that fails;
 *   6. the outcome is the same as without any death.
 */

const STEPS = 6

const graphs = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(STEPS), { maxLength: 3 }),
      fails: fc.boolean(),
      tolerated: fc.boolean(),
      items: fc.option(fc.nat(3), { nil: undefined }),
    }),
    { minLength: 1, maxLength: STEPS },
  )
  .map((nodes) =>
    nodes.map((node, index) => ({ ...node, needs: [...new Set(node.needs.filter((need) => need < index))] })),
  )

type Graph = ReturnType<typeof graphs.generate>['value']

function pipelineOf(graph: Graph): Pipeline {
  const steps = graph.map((node, index): Step => {
    const items = node.items === undefined ? undefined : Array.from({ length: node.items }, (_, item) => item)
    return step(`s${index}`, {
      needs: node.needs.map((need) => `s${need}`),
      continueOnError: node.tolerated,
      with: template({ fails: node.fails }),
      ...(items && { forEach: { items: template(items), as: 'item', maxParallel: 2 } }),
    })
  })
  return pipeline(steps)
}

interface Effect {
  readonly key: string
  readonly recordedBefore: boolean
}

/** Runs to the end with deaths after so many records each; returns what is on disk and what was done. */
async function runWithDeaths(
  graph: Graph,
  deaths: readonly number[],
): Promise<{ records: StoredRecord[]; effects: Effect[] }> {
  const disk = new Map<string, StoredRecord[]>()
  const effects: Effect[] = []
  const work = async (context: StepContext, fails: boolean) => {
    for (const name of ['intent', 'answer']) {
      await context.once(name, async () => {
        const recorded = (disk.get('r') ?? []).some(
          ({ record }) => record.type === 'effect.done' && record.step === context.stepId && record.name === name,
        )
        effects.push({ key: `${context.stepId}/${name}`, recordedBefore: recorded })
        await null
        return name
      })
    }
    if (fails) throw new AudienceError({ code: 'made-to-fail', kind: 'failed', message: 'made to fail' })
    return {}
  }
  for (const appends of [...deaths, Number.POSITIVE_INFINITY]) {
    const type = { name: 'work', summary: '', input: anything, output: anything, startsJob: false, check: () => [] }
    const engine = createEngine({
      journal: memoryJournal(disk, appends),
      clock: systemClock,
      random: () => 0.5,
      stepTypes: new Map([['work', type]]),
      runStep: (_name, context, { input }) => work(context, input.fails === true),
      readPipeline: readTestPipeline,
      env: {},
    })
    try {
      if (disk.has('r')) await engine.resume('r')
      else await engine.submit({ runId: 'r', pipeline: pipelineOf(graph), inputs: {}, trigger: {}, folder: '/' })
      for await (const _event of engine.events('r')) {
        // Until the run ends or the engine dies.
      }
    } catch {
      // It died; what counts is what it left.
    }
    await engine.stop(1000)
  }
  return { records: disk.get('r') ?? [], effects }
}

const anything = { type: 'object', properties: {} } as const

/** What has to come out, worked out without an engine. */
function expected(graph: Graph): Record<string, string> {
  const result: Record<string, string> = {}
  const broken = (index: number): boolean => {
    const status = result[`s${index}`]
    const node = graph[index]!
    return (status === 'failed' && !node.tolerated) || node.needs.some(broken)
  }
  graph.forEach((node, index) => {
    const runs = !node.needs.some(broken)
    const fails = node.fails && node.items !== 0
    result[`s${index}`] = !runs ? 'skipped' : fails ? 'failed' : 'succeeded'
  })
  return result
}

test('a run survives any death at any record', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.array(fc.nat(25), { maxLength: 4 }), async (graph, deaths) => {
      const { records, effects } = await runWithDeaths(graph, deaths)
      const wanted = expected(graph)

      expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index))
      expect(records.filter(({ record }) => record.type === 'run.finished')).toHaveLength(1)
      expect(records.at(-1)?.record.type).toBe('run.finished')

      const ended = new Map<string, number>()
      records.forEach(({ record }, place) => {
        if (record.type !== 'step.finished') return
        const key = `${record.step}${record.index === undefined ? '' : `[${record.index}]`}`
        expect(ended.has(key)).toBe(false)
        ended.set(key, place)
        if (record.index === undefined) expect([record.step, record.status]).toEqual([record.step, wanted[record.step]])
      })
      graph.forEach((node, index) => {
        expect(ended.has(`s${index}`)).toBe(true)
        const begun = records.findIndex(({ record }) => record.type === 'step.started' && record.step === `s${index}`)
        if (begun < 0) return
        expect(wanted[`s${index}`]).not.toBe('skipped')
        for (const need of node.needs) expect(ended.get(`s${need}`)).toBeLessThan(begun)
      })

      expect(effects.filter(({ recordedBefore }) => recordedBefore)).toEqual(
        // Only a forEach has the same step several times; its items are told apart by their own records.
        effects.filter(({ key, recordedBefore }) => recordedBefore && graph[Number(key[1])]!.items !== undefined),
      )

      const failed = graph.some((node, index) => wanted[`s${index}`] === 'failed' && !node.tolerated)
      expect(records.at(-1)?.record).toMatchObject({ status: failed ? 'failed' : 'succeeded' })
    }),
    { numRuns: 300 },
  )
})
