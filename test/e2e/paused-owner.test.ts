import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { root, startAudience, untilOutput } from '../support/audience.ts'
import { stateRows, until } from '../support/daemon.ts'
import { endLeases } from '../support/end-leases.ts'
import { countMade, directClient, FOUR_WRITES } from '../support/four-writes.ts'
import { startService } from '../support/host-service.ts'
import { losingProxy } from '../support/losing-proxy.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { askClock, virtualTime } from '../support/virtual-time.ts'

const ANNOUNCED = `SELECT 1 FROM records WHERE data LIKE '%"segment"%' AND data LIKE '%"intent"%'`
const POSTS = ['/api/files', '/api/segments', '/api/segments/match', '/api/activations']

test('a command that was paused while its request waited for its turn sends nothing after another has finished the run', async () => {
  const folder = tempFolder()
  const service = await startService(join(folder, 'service'))
  const proxy = await losingProxy(service.url)
  onTestFinished(() => proxy.close())
  writeFileSync(join(folder, 'four.yaml'), FOUR_WRITES)
  const state = join(folder, 'state')
  const project = (name: string, limits: string) => {
    const cwd = join(folder, name)
    mkdirSync(cwd)
    const profile = `{ baseUrl: ${JSON.stringify(proxy.url)}, tokenEnv: SERVICE_TOKEN, limits: ${limits} }`
    writeFileSync(join(cwd, 'audience.yaml'), `profile: there\nprofiles: { there: ${profile} }\n`)
    return { cwd, env: { AUDIENCE_STATE: state, SERVICE_TOKEN: service.token } }
  }
  const posts = () => proxy.passed.filter(({ method }) => method === 'POST').map(({ path }) => path.split('?')[0])

  const inputs = ['-i', 'name=paused', '-i', `file=${join(root, 'pipelines/data/travel-planners.csv')}`]
  const run = ['run', join(folder, 'four.yaml'), '--json', ...inputs]
  const owner = startAudience(run, project('slow', '{ requestsPerSecond: 0.1 }'))
  // The upload has had its turn. The creation of the segment is announced and waits ten seconds for its turn.
  const out = await untilOutput(owner, /"step.started".*"segment"/)
  await until(() => stateRows({ folder }, ANNOUNCED).length === 1)
  await sleep(100)
  owner.kill('SIGSTOP')
  const runId = /"runId":"([^"]+)"/.exec(out)?.[1] ?? ''
  expect(posts()).toEqual(POSTS.slice(0, 1))

  endLeases(state)
  const fast = project('fast', '{}')
  const virtual = virtualTime(Date.now())
  const env = { ...fast.env, ...virtual.env }
  const taker = startAudience(['runs', 'resume', runId, '--json'], { ...fast, ...virtual, env, ipc: true })
  // For fifteen seconds, the other process looks for what the owner may have made.
  await askClock(taker, { speed: 20 })
  const other = await taker.ended
  expect(other.code, other.out + other.err).toBe(0)
  expect(posts()).toEqual(POSTS)

  owner.kill('SIGCONT')
  const { code, err } = await owner.ended
  expect(err).toContain('another process')
  expect(code).toBe(1)
  expect(posts()).toEqual(POSTS)
  const api = directClient(service)
  onTestFinished(() => api.close())
  expect(await countMade(api, 'paused')).toEqual({ segments: 1, matches: 1, activations: 1 })
})
