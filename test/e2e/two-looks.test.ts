import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type OtherService, startOtherService } from '../other-service/other-service.ts'
import { type Audience, spawnAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCUMENT = `version: 1
name: NAME
steps:
  - id: upload
    uses: files.upload
    with: { file: people.csv, uploadSignal: EMAIL, resultContent: BGID }
  - id: segment
    uses: segments.ensure
    with: { segmentFileName: "\${{ steps.upload.outputs.name }}", participantSegmentId: autos, segmentName: Autos, uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }
  - id: match
    uses: matches.ensure
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", groupId: 9001, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false }
  - id: activate
    uses: activations.ensure
    with: { activationName: Autos, segmentId: "\${{ steps.segment.outputs.segmentId }}", matchJobId: "\${{ steps.match.outputs.matchJobId }}", refreshRate: 30, actionType: REQUEST }
`

/** A service whose list of activations is slow, and two pipelines that need the same activation. */
async function bench(place: 'folder' | 'database') {
  const service = await startOtherService({ now: Date.now })
  onTestFinished(() => service.close())
  service.delay('activations.list', () => sleep(1000))
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'people.csv'), Array.from({ length: 50 }, (_, index) => `p${index}@example.com\n`).join(''))
  for (const name of ['one', 'two']) writeFileSync(join(cwd, `${name}.yaml`), DOCUMENT.replace('NAME', name))
  const state = place === 'folder' ? join(cwd, 'state') : await newDatabase()
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: state }
  if (place === 'database') expect((await commandLine(['workers', 'share', cwd], { cwd, env })).code).toBe(0)
  const { segments, matches, activations } = service.holdings
  const counts = () => [segments, matches, activations].map(({ length }) => length)
  return {
    service,
    counts,
    options: { cwd, env },
    run: (name: string) => spawnAudience(['run', `${name}.yaml`, '--json'], { cwd, env }),
  }
}

/** Returns the id of its run. */
async function killedWhileItLooks(one: Audience, { taken }: OtherService): Promise<string> {
  const [runId = ''] = /(?<="runId":")[^"]+/.exec(await untilOutput(one, /"step":"activate"/)) ?? []
  await expect.poll(() => taken.some(({ operation }) => operation === 'activations.list')).toBe(true)
  one.kill('SIGKILL')
  await one.ended
  return runId
}

function suite(place: 'folder' | 'database'): void {
  test('two processes that look at the same moment make one', async () => {
    const { run, counts } = await bench(place)
    const ended = await Promise.all([run('one').ended, run('two').ended])
    expect([ended.map(({ code, err }) => `${code} ${err}`), counts()]).toEqual([
      ['0 ', '0 '],
      [1, 1, 1],
    ])
  })

  test('one that is killed while it looks is waited for, every list says so, and the other goes on once it has ended', async () => {
    const { run, counts, options, service } = await bench(place)
    const one = run('one')
    const runId = await killedWhileItLooks(one, service)
    const two = run('two')
    await untilOutput(two, new RegExp(`"event":"step.blocked".*"by":\\{"runId":"${runId}","step":"activate"\\}`))
    const told = async (...args: string[]) => (await commandLine(args, options)).out
    // In a database the killed process counts as alive until its lease has ended.
    await expect.poll(() => told('runs', 'list'), { interval: 250 }).toContain(`no process is working on run ${runId}`)
    const resume = `audience runs resume ${runId}`
    const [, waiting = ''] = /"runId":"([^"]+)"[^\n]*"blocked":\[/.exec(await told('runs', 'list', '--json')) ?? []
    for (const args of [['runs', 'show', waiting], ['status']]) {
      const text = await told(...args)
      expect(text).toContain(
        `activate waits for step activate of run ${runId}, which is working on the same thing: activation "Autos"`,
      )
      expect(text).toContain(resume)
    }
    expect((await commandLine(['runs', 'resume', runId], options)).code).toBe(0)
    expect([(await two.ended).code, counts()]).toEqual([0, [1, 1, 1]])
    expect(await told('status', '--json')).toContain('"blocked":[]')
  })

  test('one that is killed and will not go on is cancelled, and the other goes on', async () => {
    const { run, counts, options, service } = await bench(place)
    const one = run('one')
    const runId = await killedWhileItLooks(one, service)
    const two = run('two')
    await untilOutput(two, /"event":"step.blocked"/)
    const cancelled = () => commandLine(['runs', 'cancel', runId], options).then(({ code }) => code)
    await expect.poll(cancelled, { interval: 250 }).toBe(0)
    expect([(await two.ended).code, counts()]).toEqual([0, [1, 1, 1]])
  })
}

describe('in a folder', () => suite('folder'))
describeWithPostgres('in a database', () => suite('database'))
