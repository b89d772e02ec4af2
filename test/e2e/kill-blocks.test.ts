import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { eventsOf, type ReadyService, root, spawnAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, stateRows } from '../support/daemon.ts'
import { countMade, directClient, FOUR_WRITES } from '../support/four-writes.ts'
import { hostService } from '../support/host-service.ts'
import { isLong } from '../support/is-long.ts'

/*
 * The real command does the four writes for each of three items, two at a time. It is killed with SIGKILL as soon as a
 * certain record of the second item exists, and then resumed until the run ends. The service must have exactly one
 * segment, one match and one activation for each item. If nothing shows whether a write happened, a person checks.
 */

const ITEMS = ['a', 'b', 'c']

/** The steps of the document with four writes, in a forEach. */
const EACH = FOUR_WRITES.replace(/^steps:\n([\s\S]*)outputs:.*\n$/m, (_all, steps: string) => {
  const inner = steps.replaceAll(/^/gm, '    ').replaceAll('inputs.name', 'inputs.name + "-" + each').trimEnd()
  const forEach = `forEach: { items: [${ITEMS.join(', ')}], as: each, key: "\${{ each }}", maxParallel: 2 }`
  return `steps:\n  - id: audience\n    ${forEach}\n    steps:\n${inner}\noutputs: { done: "\${{ size(steps.audience.outputs.filter(one, one.status == 'succeeded')) }}" }\n`
})

let folder: string
let service: ReadyService
let stopService: () => Promise<void>
let api: ApiClient

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audience-kill-blocks-'))
  writeFileSync(join(folder, 'each.yaml'), EACH)
  const started = await hostService(join(folder, 'service'))
  service = started.service
  stopService = started.stop
  api = directClient(service)
})

afterAll(async () => {
  await api.close()
  await stopService()
  rmSync(folder, { recursive: true, force: true })
})

/** The short form has each kind of record once, at different steps. */
const SHORT = [
  ['step.started', 'upload'],
  ['job.status', 'match'],
  ['step.finished', 'segment'],
] as const
const MORE = [
  ['job.status', 'segment'],
  ['step.started', 'match'],
  ['step.finished', 'activate'],
] as const

test.concurrent.for(isLong ? [...SHORT, ...MORE] : SHORT)(
  'killed as soon as %s of audience[b].%s is recorded',
  async ([event, step]) => {
    const name = `${event}-${step}`.replace('.', '-')
    const world = join(folder, name)
    mkdirSync(world)
    const env = {
      AUDIENCE_STATE: join(world, 'state'),
      AUDIENCE_BASE_URL: service.url,
      AUDIENCE_TOKEN: service.token,
    }
    const file = join(root, 'pipelines/data/auto-intenders.csv')
    const child = spawnAudience(
      ['run', join(folder, 'each.yaml'), '--json', '-i', `name=${name}`, '-i', `file=${file}`],
      { env },
    )
    await untilOutput(child, new RegExp(`"event":"${event}".*"execution":"audience\\[b\\]\\.${step}"`))
    await kill(child)

    const row = () => stateRows({ folder: world }, 'SELECT run_id AS runId, status FROM runs')[0]
    const runId = String(row()?.runId)
    let ended = await commandLine(['runs', 'resume', runId, '--json'], { env })
    // Each write may be in doubt, so a person is asked at most once per write.
    for (let asked = 0; row()?.status !== 'succeeded' && asked < 2 * ITEMS.length; asked += 1) {
      const waits = eventsOf(ended.out).findLast(({ event: kind }) => kind === 'step.waiting')
      expect(waits, `${ended.out}${ended.err}`).toBeDefined()
      const made = await countMade(api, `${name}-${waits?.key}`)
      const isDone = (waits?.step === 'match' ? made.matches : made.activations) > 0
      const answer = isDone ? '--done' : '--again'
      ended = await commandLine(['runs', 'resume', runId, '--step', String(waits?.execution), answer, '--json'], {
        env,
      })
    }
    expect(row()?.status).toBe('succeeded')
    expect(eventsOf(ended.out).at(-1)).toMatchObject({ outputs: { done: ITEMS.length } })
    for (const item of ITEMS) {
      expect(await countMade(api, `${name}-${item}`), item).toEqual({ segments: 1, matches: 1, activations: 1 })
    }
  },
)
