import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventsOf, type ReadyService, root, spawnService, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { countMade, directClient, FOUR_WRITES } from '../support/four-writes.ts'
import { freePort } from '../support/free-port.ts'
import { hostService } from '../support/host-service.ts'
import { type Fault, losingProxy } from '../support/losing-proxy.ts'

/* The real command against a service that dies, loses answers, is late, or answers 500 although it did the work. */

const ASKED_ABOUT = ['/api/segments/match', '/api/activations']

let folder: string
let service: ReadyService
let stopService: () => Promise<void>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audience-trouble-'))
  writeFileSync(join(folder, 'four.yaml'), FOUR_WRITES)
  const hosted = await hostService(join(folder, 'hosted'))
  service = hosted.service
  stopService = hosted.stop
})

afterAll(async () => {
  await stopService()
  rmSync(folder, { recursive: true, force: true })
})

/** The command line of a run, and its options. */
function run(name: string, url: string, { token }: ReadyService) {
  const file = join(root, 'pipelines/data/auto-intenders.csv')
  const args = ['run', join(folder, 'four.yaml'), '--json', '-i', `name=${name}`, '-i', `file=${file}`]
  const env = { AUDIENCE_STATE: join(folder, `state-${name}`), AUDIENCE_BASE_URL: url, AUDIENCE_TOKEN: token }
  return [args, { env }] as const
}

async function madeOnce(name: string, service: ReadyService): Promise<void> {
  const api = directClient(service)
  expect(await countMade(api, name)).toEqual({ segments: 1, matches: 1, activations: 1 })
  await api.close()
}

test.each<Fault>(['resetAfter', 'errorAfter', 'resetBefore', 'delay'])('every write meets %s', async (fault) => {
  const proxy = await losingProxy(service.url)
  try {
    for (const path of ['/api/files', '/api/segments', '/api/segments/match', '/api/activations']) {
      // Nothing can show whether a match or activation arrived, so a person is asked (lost-answers.test.ts).
      if (fault === 'resetBefore' && ASKED_ABOUT.includes(path)) continue
      proxy.lose(fault, (asked) => asked.method === 'POST' && asked.path.split('?')[0] === path)
    }
    const [args, world] = run(fault, proxy.url, service)
    let { code, out, err } = await commandLine(args, world)
    // The service does not show the partner of the match whose answer was lost.
    const asked = eventsOf(out).find(({ event }) => event === 'step.waiting')
    expect(asked?.step).toBe(fault.endsWith('After') ? 'match' : undefined)
    if (asked) {
      const answer = ['runs', 'resume', String(asked.runId), '--step', 'match', '--done', '--json']
      ;({ code, out, err } = await commandLine(answer, world))
    }
    expect(code, out + err).toBe(0)
    expect(eventsOf(out).at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
    await madeOnce(fault, service)
  } finally {
    await proxy.close()
  }
})

test('the service is killed again and again, and started again at the same address', async () => {
  let started = await spawnService(join(folder, 'service'), await freePort())
  onTestFinished(() => started.stop())
  const { service } = started
  const { port } = new URL(service.url)
  const child = startAudience(...run('service', service.url, service))
  const steps = ['segment', 'match', 'activate']
  for (const step of steps) {
    await untilOutput(child, new RegExp(`"job.status".*"step":"${step}"`))
    await started.stop()
    await sleep(300)
    started = await spawnService(join(folder, 'service'), Number(port))
  }
  const { code, out, err } = await child.ended
  expect(code, out + err).toBe(0)
  await madeOnce('service', service)
})
