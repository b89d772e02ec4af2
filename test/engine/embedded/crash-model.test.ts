import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StepContext } from '../../../src/core/engine.ts'
import { AudienceError } from '../../../src/core/errors.ts'
import type { Pipeline, StepOrBlock } from '../../../src/core/pipeline.ts'
import { type RunRecord, type Seed, type SettledStatus, type StoredRecord, stepKey } from '../../../src/core/run.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { foldRecords } from '../../../src/runs/run-state.ts'
import { seedOf } from '../../../src/runs/seed.ts'
import { memoryJournal } from '../../support/memory-journal.ts'
import { block, pipeline, readTestPipeline, step, template, testStepTypes } from '../../support/pipelines.ts'
import { tries } from '../../support/tries.ts'

/*
 * Random graphs of steps: some fail, and some are a forEach over one step or over a graph of steps. The engines die
 * after a random number of records, again and again. Always:
 *   1. the run ends, and its records say so exactly once, last;
 *   2. every execution that begins ends exactly once, and a forEach that ends has no item under way;
 *   3. a step begins only after all that it needs has ended, in its item if it has one, and never when one of those failed;
 *   4. each effect of an attempt is computed at most once more than the number of deaths, and never again once its
 *      value is recorded;
 *   5. an item fails exactly when one of its failing steps could run; a forEach fails exactly when more items fail than
 *      allowed; the run fails exactly when one of its steps did;
 *   6. the outcome is the same as without any death.
 */

const STEPS = 6
const ITEMS = 4
const KEYS = 'pqrs'

const needs = fc.array(fc.nat(STEPS), { maxLength: 3 })
const innerNode = fc.record({
  needs,
  /** The items for which it fails. */
  fails: fc.array(fc.boolean(), { minLength: ITEMS, maxLength: ITEMS }),
  tolerated: fc.boolean(),
})
type InnerNode = Readonly<Parameters<Parameters<typeof innerNode.map>[0]>[0]>

const graphs = fc
  .array(
    fc.record({
      needs,
      fails: fc.array(fc.boolean(), { minLength: ITEMS, maxLength: ITEMS }),
      tolerated: fc.boolean(),
      items: fc.option(fc.nat(ITEMS), { nil: undefined }),
      maxFailures: fc.option(fc.nat(2), { nil: undefined }),
      inner: fc.option(fc.array(innerNode, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: STEPS },
  )
  .map((nodes) => backwards(nodes).map((node) => ({ ...node, ...(node.inner && { inner: backwards(node.inner) }) })))

type Graph = ReturnType<typeof graphs.generate>['value']
type Node = Graph[number]

/** A step can need those before it. */
function backwards<T extends { readonly needs: readonly number[] }>(nodes: readonly T[]): T[] {
  return nodes.map((node, index) => ({ ...node, needs: [...new Set(node.needs.filter((need) => need < index))] }))
}

const itemCount = ({ items, inner }: Node) => items ?? (inner ? 1 : undefined)

function pipelineOf(graph: Graph): Pipeline {
  const steps = graph.map((node, index): StepOrBlock => {
    const own = { needs: node.needs.map((need) => `s${need}`), continueOnError: node.tolerated }
    const count = itemCount(node)
    const items = Array.from({ length: count ?? 0 }, (_, item) => ({ fails: node.fails[item], key: KEYS[item] }))
    const forEach = {
      ...{ items: template(items), as: 'item', maxParallel: 2, key: template('${{ item.key }}') },
      ...(node.maxFailures !== undefined && { maxFailures: { count: node.maxFailures } }),
    }
    if (node.inner)
      return block(
        `s${index}`,
        node.inner.map((inner, at) => innerStep(inner, index, at)),
        { ...own, forEach },
      )
    const fails = count === undefined ? node.fails[0] : '${{ item.fails }}'
    return step(`s${index}`, { ...own, with: template({ fails }), ...(count !== undefined && { forEach }) })
  })
  return pipeline(steps)
}

function innerStep(inner: InnerNode, index: number, at: number) {
  return step(`s${index}i${at}`, {
    needs: inner.needs.map((need) => `s${index}i${need}`),
    continueOnError: inner.tolerated,
    with: template({ fails: `\${{ [${inner.fails.join(', ')}][index] }}` }),
  })
}

interface Effect {
  readonly key: string
  readonly recordedBefore: boolean
}

/** Runs to the end, with a death after each of these numbers of records; returns what is on disk and what was done. */
async function runWithDeaths(
  graph: Graph,
  deaths: readonly number[],
  seed?: Seed,
): Promise<{ records: StoredRecord[]; effects: Effect[] }> {
  const disk = new Map<string, StoredRecord[]>()
  const effects: Effect[] = []
  const work = async (context: StepContext, fails: boolean) => {
    for (const name of ['intent', 'answer']) {
      await context.once(name, async () => {
        const recorded = (disk.get('r') ?? []).some(
          ({ record }) => record.type === 'effect.done' && stepKey(record) === context.stepKey && record.name === name,
        )
        effects.push({ key: `${context.stepKey}/${name}`, recordedBefore: recorded })
        await null
        return name
      })
    }
    if (fails) throw new AudienceError({ code: 'made-to-fail', kind: 'failed', message: 'made to fail' })
    return {}
  }
  for (const appends of [...deaths, Number.POSITIVE_INFINITY]) {
    const engine = createEngine({
      journal: memoryJournal(disk, appends),
      clock: systemClock,
      random: () => 0.5,
      stepTypes: testStepTypes,
      runStep: (_name, context, { input }) => work(context, input.fails === true),
      readPipeline: readTestPipeline,
      env: {},
    })
    try {
      if (disk.has('r')) await engine.resume('r')
      else {
        const asked = { runId: 'r', pipeline: pipelineOf(graph), inputs: {}, trigger: {}, folder: '/' }
        await engine.submit({ ...asked, ...(seed && { seed }) })
      }
      for await (const _event of engine.events('r')) {
        // Until the run ends or the engine dies.
      }
    } catch {
      // It died; only what it stored counts.
    }
    await engine.stop(1000)
  }
  return { records: disk.get('r') ?? [], effects }
}

/** The results of steps that depend on each other, computed without an engine. */
function outcomes<T extends { readonly needs: readonly number[]; readonly tolerated: boolean }>(
  nodes: readonly T[],
  fails: (node: T) => boolean,
): SettledStatus[] {
  const result: SettledStatus[] = []
  const broken = (index: number): boolean => {
    const node = nodes[index]!
    return (result[index] === 'failed' && !node.tolerated) || node.needs.some(broken)
  }
  for (const node of nodes) result.push(node.needs.some(broken) ? 'skipped' : fails(node) ? 'failed' : 'succeeded')
  return result
}

const isBroken = (nodes: readonly { readonly tolerated: boolean }[], statuses: readonly SettledStatus[]) =>
  statuses.some((status, index) => status === 'failed' && !nodes[index]!.tolerated)

function itemFails(node: Node, item: number): boolean {
  const { inner } = node
  return inner
    ? isBroken(
        inner,
        outcomes(inner, ({ fails }) => fails[item]!),
      )
    : node.fails[item]!
}

function nodeFails(node: Node): boolean {
  const count = itemCount(node)
  if (count === undefined) return node.fails[0]!
  const failing = Array.from({ length: count }, (_, item) => itemFails(node, item)).filter(Boolean).length
  return failing > (node.maxFailures ?? 0)
}

/** The expected result of every possible execution, by its key. */
function expected(graph: Graph): Map<string, SettledStatus> {
  const all = new Map<string, SettledStatus>()
  for (const [index, status] of outcomes(graph, nodeFails).entries()) {
    const node = graph[index]!
    all.set(`s${index}`, status)
    for (let item = 0; item < (itemCount(node) ?? 0); item += 1) {
      const place = `s${index}[${KEYS[item]}]`
      all.set(place, itemFails(node, item) ? 'failed' : 'succeeded')
      const within = outcomes(node.inner ?? [], ({ fails }) => fails[item]!)
      for (const [at, inner] of within.entries()) all.set(`${place}.s${index}i${at}`, inner)
    }
  }
  return all
}

/** The executions that an execution needs, by its key. */
function needsOf(graph: Graph, key: string): string[] {
  const [, index = '', inside = '', at] = /^s(\d)(?:(\[.\])\.s\di(\d))?/.exec(key) ?? []
  const node = graph[Number(index)]!
  if (at === undefined) return node.needs.map((need) => `s${need}`)
  return [
    ...node.inner![Number(at)]!.needs.map((need) => `s${index}${inside}.s${index}i${need}`),
    ...needsOf(graph, `s${index}`),
  ]
}

test('a run survives any death at any record', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.array(fc.nat(40), { maxLength: 4 }), async (graph, deaths) => {
      const { records, effects } = await runWithDeaths(graph, deaths)
      const wanted = expected(graph)

      expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index))
      expect(records.filter(({ record }) => record.type === 'run.finished')).toHaveLength(1)
      expect(records.at(-1)?.record.type).toBe('run.finished')

      const begun = new Map<string, number>()
      const ended = new Map<string, number>()
      records.forEach(({ record }, place) => {
        if (!('step' in record)) return
        const key = stepKey(record)
        if (record.type === 'step.started' && !begun.has(key)) begun.set(key, place)
        if (record.type !== 'step.finished') return
        expect(ended.has(key)).toBe(false)
        ended.set(key, place)
        expect([key, record.status]).toEqual([key, wanted.get(key)])
      })
      for (const index of graph.keys()) expect(ended.has(`s${index}`)).toBe(true)
      for (const [key, place] of begun) {
        expect(ended.get(key)).toBeGreaterThan(place)
        expect(wanted.get(key)).not.toBe('skipped')
        for (const need of needsOf(graph, key)) expect(ended.get(need)).toBeLessThan(place)
      }
      for (const [key, place] of ended) {
        if (key.includes('[')) expect(ended.get(key.slice(0, key.indexOf('[')))).toBeGreaterThan(place)
        if (key.includes('].')) expect(ended.get(key.slice(0, key.indexOf('].') + 1))).toBeGreaterThan(place)
      }

      expect(effects.filter(({ recordedBefore }) => recordedBefore)).toEqual([])

      const hasFailed = isBroken(graph, outcomes(graph, nodeFails))
      expect(records.at(-1)?.record).toMatchObject({ status: hasFailed ? 'failed' : 'succeeded' })
    }),
    { numRuns: tries(200, 500) },
  )
})

test('a retry executes nothing again that succeeded, and comes to the same end', async () => {
  const keysOf = (records: readonly StoredRecord[], isWanted: (record: RunRecord) => boolean) =>
    new Set(records.flatMap(({ record }) => ('step' in record && isWanted(record) ? [stepKey(record)] : [])))
  await fc.assert(
    fc.asyncProperty(graphs, fc.array(fc.nat(40), { maxLength: 2 }), async (graph, deaths) => {
      const first = await runWithDeaths(graph, deaths)
      const seed = seedOf(pipelineOf(graph), { runId: 'r', state: foldRecords(first.records) })
      const second = await runWithDeaths(graph, deaths, seed)

      const done = keysOf(first.records, (record) => record.type === 'step.finished' && record.status === 'succeeded')
      const again = keysOf(second.records, (record) => record.type === 'step.started')
      expect([...done].filter((key) => again.has(key))).toEqual([])

      const end = (records: readonly StoredRecord[]) => records.at(-1)?.record
      expect(end(second.records)).toMatchObject({ status: (end(first.records) as { status: string }).status })
      const wanted = expected(graph)
      for (const { record } of second.records) {
        if (record.type !== 'step.finished') continue
        expect([stepKey(record), record.status]).toEqual([stepKey(record), wanted.get(stepKey(record))])
      }
    }),
    { numRuns: tries(120, 300) },
  )
})
