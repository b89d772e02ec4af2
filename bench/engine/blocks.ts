import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from '../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../test/support/around.ts'
import { block, pipeline, readTestPipeline, step, template, testStepTypes } from '../../test/support/pipelines.ts'
import { redactThree } from '../support/redact-three.ts'
import { describeMachine } from './describe-machine.ts'
import { median, spread } from './median.ts'
import { printTable } from './print-table.ts'

/*
 * Compares a forEach of 1,000 items with three steps to 1,000 runs of three steps, with a hundred of them active at a
 * time. A step evaluates its `with`, records one value with `once`, as a write does, and has outputs of about 100
 * bytes.
 */

const ITEMS = 1000
const AT_ONCE = 100
const ROUNDS = Number(process.argv[2] ?? 5)

/** Times in milliseconds, and the size of the state afterwards in bytes. */
interface Cost {
  readonly ms: number
  readonly cpuMs: number
  readonly bytes: number
}

const root = mkdtempSync(join(tmpdir(), 'audience-bench-'))
const outputs = { segmentId: '0123456789abcdef01234567', segmentName: 'a segment of the benchmark', rows: 5201 }
/** Three steps that read their item and the outputs of the previous step. */
const chain = (name: string) => [
  step('a', { with: template({ name }) }),
  step('b', { needs: ['a'], with: template({ name, id: '${{ steps.a.outputs.segmentId }}' }) }),
  step('c', { needs: ['b'], with: template({ name, id: '${{ steps.b.outputs.segmentId }}' }) }),
]
const names = Array.from({ length: ITEMS }, (_, index) => ({ id: `segment-${index}` }))

async function measure(folder: string, work: (run: (document: typeof inRuns) => Promise<void>) => Promise<void>) {
  const state = join(root, folder)
  const { journal } = openEmbeddedState({ folder: state, redact: redactThree(), ...around })
  const engine = createEngine({
    journal,
    clock: systemClock,
    random: Math.random,
    stepTypes: testStepTypes,
    async runStep(_name, { once }) {
      await once('value', async () => 1)
      return outputs
    },
    readPipeline: readTestPipeline,
    env: {},
  })
  const ends = new Map<string, (status: string) => void>()
  engine.watch((event) => {
    if (event.event === 'run.finished') ends.get(event.runId)?.(event.status)
  })
  let submitted = 0
  const run = async (document: typeof inRuns) => {
    const runId = `run-${++submitted}`
    const end = new Promise<string>((resolve) => ends.set(runId, resolve))
    await engine.submit({ runId, pipeline: document, folder: root, inputs: { name: 'segment' }, trigger: {} })
    const status = await end
    if (status !== 'succeeded') throw new Error(`${runId} ${status}`)
  }
  const cpu = process.cpuUsage()
  const began = performance.now()
  await work(run)
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  await engine.stop(1000)
  journal.close()
  const bytes = readdirSync(state).reduce((sum, name) => sum + statSync(join(state, name)).size, 0)
  return { ms, cpuMs: (user + system) / 1000, bytes } satisfies Cost
}

const inRuns = pipeline(chain('${{ inputs.name }}'))
const inItems = pipeline([
  block('each', chain('${{ item.id }}'), {
    forEach: { items: template(names), key: template('${{ item.id }}'), maxParallel: AT_ONCE },
  }),
])

const rounds: { readonly items: Cost; readonly runs: Cost }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const items = await measure(`items-${round}`, (run) => run(inItems))
  const runs = await measure(`runs-${round}`, async (run) => {
    let left = ITEMS
    const lane = async () => {
      while (left > 0) {
        left -= 1
        await run(inRuns)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  })
  rounds.push({ items, runs })
}
rmSync(root, { recursive: true })

const row = (name: string, costs: readonly Cost[]) => [
  name,
  `${Math.round(median(costs.map(({ ms }) => ms)))} (${spread(costs.map(({ ms }) => ms))})`,
  `${Math.round(median(costs.map(({ cpuMs }) => cpuMs)))} (${spread(costs.map(({ cpuMs }) => cpuMs))})`,
  `${Math.round(median(costs.map(({ bytes }) => bytes)) / 1000)}`,
]
const inOne = rounds.map(({ items }) => items)
const inMany = rounds.map(({ runs }) => runs)
console.log(describeMachine())
printTable(
  ['what', 'ms', 'ms of processor', 'kB of state'],
  [row(`one run: forEach of ${ITEMS} items, 3 steps each`, inOne), row(`${ITEMS} runs of 3 steps`, inMany)],
)
const ratios = rounds.map(({ items, runs }) => items.cpuMs / runs.cpuMs)
console.log(`forEach ÷ runs, ms of processor: ${median(ratios).toFixed(2)} (${spread(ratios)})`)
