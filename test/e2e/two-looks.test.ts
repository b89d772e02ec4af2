import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startOtherService } from '../other-service/other-service.ts'
import { audience, spawnAudience, untilOutput } from '../support/audience.ts'
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

/** A service whose list of activations takes long, and two pipelines that want the same activation. */
async function bench() {
  const service = await startOtherService({ now: Date.now })
  onTestFinished(() => service.close())
  service.delay('activations.list', () => sleep(1000))
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'people.csv'), Array.from({ length: 50 }, (_, index) => `p${index}@example.com\n`).join(''))
  for (const name of ['one', 'two']) writeFileSync(join(cwd, `${name}.yaml`), DOCUMENT.replace('NAME', name))
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: join(cwd, 'state') }
  const { segments, matches, activations } = service.holdings
  const counts = () => [segments, matches, activations].map(({ length }) => length)
  return {
    service,
    counts,
    options: { cwd, env },
    run: (name: string) => spawnAudience(['run', `${name}.yaml`, '--json'], { cwd, env }),
  }
}

test('two processes that look at the same moment make one', async () => {
  const { run, counts } = await bench()
  const ended = await Promise.all([run('one').ended, run('two').ended])
  expect([ended.map(({ code, err }) => `${code} ${err}`), counts()]).toEqual([
    ['0 ', '0 '],
    [1, 1, 1],
  ])
})

test('one that is killed while it looks is waited for, and the other goes on once it has ended', async () => {
  const { run, counts, options } = await bench()
  const one = run('one')
  const [runId = ''] = /(?<="runId":")[^"]+/.exec(await untilOutput(one, /"step":"activate"/)) ?? []
  one.kill('SIGKILL')
  await one.ended
  const two = run('two')
  await untilOutput(two, new RegExp(`"event":"step.blocked".*"by":\\{"runId":"${runId}","step":"activate"\\}`))
  expect((await audience(['runs', 'resume', runId], options)).code).toBe(0)
  expect([(await two.ended).code, counts()]).toEqual([0, [1, 1, 1]])
})
