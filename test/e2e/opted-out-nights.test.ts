import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { defaultNetwork } from '../../src/service/network/default-network.ts'
import { openPeopleDatabase } from '../../src/service/population/database.ts'
import { writeSampleFile } from '../../src/service/population/sample.ts'
import { startService } from '../../src/service/start-service.ts'
import { commandLine } from '../support/command-line.ts'
import { givePeopleTo } from '../support/people.ts'
import { segmentStep } from '../support/segment-step.ts'
import { tempFolder } from '../support/temp-folder.ts'

/* Prepares a list every night for the embedded service. Its source never changes, but people opt out. */

const PEOPLE = 400
const DOCUMENT = `version: 1
name: nights
triggers: [{ id: night, schedule: { cron: "0 2 * * *", timezone: UTC } }]
defaults: { await: { poll: { initial: 10ms, max: 50ms } } }
steps:
  - id: list
    uses: files.prepare
    with: { from: { file: ../people.csv }, column: email, signal: EMAIL }
  - id: upload
    uses: files.upload
    with: { file: "\${{ steps.list.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
${segmentStep('segments.ensure', 'nights', 'Nights')}`

let service: Awaited<ReturnType<typeof startService>>
let people: readonly string[]
const dataDir = () => join(scratch, 'service')
let scratch: string

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'audience-opted-out-'))
  await givePeopleTo(dataDir())
  service = await startService({
    dataDir: dataDir(),
    network: defaultNetwork,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  const database = await openPeopleDatabase({ tempDir: join(scratch, 'sample'), memoryLimit: '1GB' })
  const target = join(scratch, 'sample.csv')
  await database.session((session) =>
    writeSampleFile(session, defaultNetwork, { signal: 'EMAIL', rows: PEOPLE, seed: 3, target }),
  )
  await database.close()
  people = readFileSync(target, 'utf8').trim().split('\n').slice(1)
})
afterAll(async () => {
  await service.close()
  rmSync(scratch, { recursive: true, force: true })
})

test('who opts out tonight is out of the next file, although the source still has them', async () => {
  const { audience, night, optOut, folder } = project()
  const gone = people.slice(10, 30)
  const first = await night()
  expect(first).toMatchObject({
    status: 'succeeded',
    list: { keys: PEOPLE, suppressed: 0, added: PEOPLE, removed: 0, kept: 0 },
  })
  const sent = uploads()
  expect(sent).toHaveLength(1)
  expect(gone.every((person) => sent[0]?.lines.has(person))).toBe(true)

  // Written as people write it: in capitals and with spaces.
  optOut(gone.map((person) => ` ${person.toUpperCase()} `))
  const keys = join(folder, 'opt-outs.csv')
  const held = await audience('privacy', 'check', keys, '--json')
  expect(held.code).toBe(5)
  expect(JSON.parse(held.out).lists).toMatchObject([
    { pipeline: 'nights', held: 20, notOptedOut: 0, next: { schedule: 'nights/night' } },
  ])
  const plan = await audience('plan', join(folder, 'pipelines/nights.yaml'))
  expect(plan.out, plan.err).toContain('+0 −20, 20 suppressed')
  expect(uploads()).toHaveLength(1)

  const second = await night()
  expect(second).toMatchObject({
    status: 'succeeded',
    list: { keys: PEOPLE - 20, suppressed: 20, added: 0, removed: 20, kept: PEOPLE - 20 },
  })
  const [file] = uploads().filter(({ name }) => name !== sent[0]?.name)
  expect(gone.filter((person) => file?.lines.has(person))).toEqual([])
  expect(people.filter((person) => file?.lines.has(person))).toHaveLength(PEOPLE - 20)
  expect(await audience('privacy', 'check', keys)).toMatchObject({ code: 0 })

  // Without the opt-out list, nothing is sent: a list must never contain people who opted out.
  renameSync(keys, `${keys}.away`)
  const before = await requests()
  expect(await night()).toMatchObject({
    status: 'failed',
    error: { code: 'opt-outs-unusable', step: 'list', message: expect.stringContaining('opt-outs.csv') },
  })
  writeFileSync(keys, Buffer.from([0xff, 0xfe, 0x41, 0x00]))
  expect(await night()).toMatchObject({ status: 'failed', error: { code: 'opt-outs-unusable' } })
  expect(await requests()).toBe(before)

  renameSync(`${keys}.away`, keys)
  expect(await night()).toMatchObject({
    status: 'succeeded',
    list: { suppressed: 20, added: 0, removed: 0, kept: PEOPLE - 20 },
  })
  expect(uploads()).toHaveLength(2)
})

function project() {
  const folder = tempFolder()
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'pipelines/nights.yaml'), DOCUMENT)
  writeFileSync(join(folder, 'people.csv'), `email\n${people.join('\n')}\n`)
  writeFileSync(join(folder, 'audience.yaml'), 'privacy: { suppress: [opt-outs.csv], requirePrepared: true }\n')
  const optOut = (keys: readonly string[]) =>
    writeFileSync(join(folder, 'opt-outs.csv'), ['email', ...keys, ''].join('\n'))
  optOut([])
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token }
  const audience = (...args: string[]) => commandLine(args, { cwd: folder, env })
  return {
    folder,
    optOut,
    audience,
    async night() {
      const run = await audience('run', join(folder, 'pipelines/nights.yaml'), '--json')
      const runId = /"runId":"([^"]+)"/.exec(run.out)?.[1]
      if (runId === undefined) throw new Error(run.err)
      const shown = JSON.parse((await audience('runs', 'show', runId, '--json')).out)
      const list = shown.steps.find(({ step }: { step: string }) => step === 'list')?.outputs
      return { ...shown, list }
    },
  }
}

/** The files that the service received. */
function uploads(): { readonly name: string; readonly lines: ReadonlySet<string> }[] {
  return readdirSync(dataDir(), { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(dataDir(), name)
    if (!statSync(path).isFile()) return []
    const text = readFileSync(path, 'latin1')
    return text.startsWith('email\n') ? [{ name, lines: new Set(text.split('\n')) }] : []
  })
}

/** The number of requests that wrote something. */
async function requests(): Promise<number> {
  const headers = { authorization: `Bearer ${service.control.token}` }
  const answer = await fetch(`${service.control.url}/requests?limit=10000`, { headers })
  const { requests: all } = (await answer.json()) as { requests: { method: string }[] }
  return all.filter(({ method }) => method !== 'GET').length
}
