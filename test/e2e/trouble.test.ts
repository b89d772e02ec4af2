import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Audience, eventsOf, root, spawnAudience, spawnService, untilOutput } from '../support/audience.ts'
import { countMade, directClient, FOUR_WRITES } from '../support/four-writes.ts'
import { freePort } from '../support/free-port.ts'
import { type Fault, losingProxy } from '../support/losing-proxy.ts'

/* The real command against a service that dies, loses answers, is late, or says 500 although it did what was asked. */

const ASKED_ABOUT = ['/api/segments/match', '/api/activations']

let folder: string
let started: Awaited<ReturnType<typeof spawnService>>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audience-trouble-'))
  writeFileSync(join(folder, 'four.yaml'), FOUR_WRITES)
  started = await spawnService(join(folder, 'service'), await freePort())
})

afterEach(async () => {
  await started.stop()
  rmSync(folder, { recursive: true, force: true })
})

function run(name: string, url: string): Audience {
  const file = join(root, 'pipelines/data/auto-intenders.csv')
  const args = ['run', join(folder, 'four.yaml'), '--json', '-i', `name=${name}`, '-i', `file=${file}`]
  const env = {
    AUDIENCE_STATE: join(folder, `state-${name}`),
    AUDIENCE_BASE_URL: url,
    AUDIENCE_TOKEN: started.service.token,
  }
  return spawnAudience(args, { env })
}

async function madeOnce(name: string): Promise<void> {
  const api = directClient(started.service)
  expect(await countMade(api, name)).toEqual({ segments: 1, matches: 1, activations: 1 })
  await api.close()
}

test.each<Fault>(['resetAfter', 'errorAfter', 'resetBefore', 'delay'])('every write meets %s', async (fault) => {
  const proxy = await losingProxy(started.service.url)
  try {
    for (const path of ['/api/files', '/api/segments', '/api/segments/match', '/api/activations']) {
      // Of a match or activation that never arrived nothing can be known, so that a person is asked (lost-answers.test.ts).
      if (fault === 'resetBefore' && ASKED_ABOUT.includes(path)) continue
      proxy.lose(fault, (asked) => asked.method === 'POST' && asked.path.split('?')[0] === path)
    }
    const { code, out, err } = await run(fault, proxy.url).ended
    expect(code, out + err).toBe(0)
    expect(eventsOf(out).at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
    await madeOnce(fault)
  } finally {
    await proxy.close()
  }
})

test('the service is killed again and again, and started again at the same address', async () => {
  const { port } = new URL(started.service.url)
  const child = run('service', started.service.url)
  const steps = ['segment', 'match', 'activate']
  for (const step of steps) {
    await untilOutput(child, new RegExp(`"job.status".*"step":"${step}"`))
    await started.stop()
    await sleep(300)
    started = await spawnService(join(folder, 'service'), Number(port))
  }
  const { code, out, err } = await child.ended
  expect(code, out + err).toBe(0)
  await madeOnce('service')
})
