import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startOtherService } from '../other-service/other-service.ts'
import { type Audience, eventsOf, startAudience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, untilReady } from '../support/daemon.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { segmentStep } from '../support/segment-step.ts'
import { sqlRows } from '../support/sql.ts'
import { crashPostgres, startPostgres, stopPostgres } from '../support/start-postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LISTS = ['a', 'b', 'c', 'd', 'e', 'f']

const CHILD = `version: 1
name: child
inputs: { list: { type: string } }
steps:
  - id: upload
    uses: files.upload
    with: { file: people.csv, uploadSignal: EMAIL, resultContent: BGID }
${segmentStep('segments.create', '"${{ inputs.list }}-${{ run.id }}"')}`

const PARENT = `version: 1
name: parent
steps:
  - id: each
    uses: pipelines.run
    forEach: { items: "\${{ ${JSON.stringify(LISTS).replaceAll('"', "'")} }}", as: list, maxParallel: 2 }
    with: { file: child.yaml, inputs: { list: "\${{ list }}" } }
`

const ASK = `version: 1
name: ask
steps:
  - { id: ask, uses: approval.wait, with: { message: may it go on } }
`

const DROPPED = `version: 1
name: dropped
inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: ../inbox, pattern: "*.csv", settle: 100ms, done: ../inbox/done, failed: ../inbox/failed }
    inputs: { file: "\${{ trigger.file }}" }
steps:
  - { id: look, uses: groups.list }
`

/** A project with a new database and a service that counts what the runs make. */
async function project(own?: string) {
  const folder = tempFolder()
  const service = await startOtherService({ now: Date.now, ways: { jobMs: 300 } })
  onTestFinished(() => service.close())
  mkdirSync(join(folder, 'pipelines'))
  const files = { 'child.yaml': CHILD, 'parent.yaml': PARENT, 'ask.yaml': ASK, 'people.csv': 'email\na@example.com\n' }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'pipelines', name), text)
  writeFileSync(
    join(folder, 'audience.yaml'),
    `profile: here
stateEnv: DATABASE
profiles: { here: { baseUrl: "${service.url}", tokenEnv: TOKEN } }
`,
  )
  const database = own ?? (await newDatabase())
  const env = { DATABASE: database, TOKEN: service.token }
  const options = { cwd: folder, env }
  const run = (...args: readonly string[]) => commandLine(args, options)
  expect(await run('state', 'migrate')).toMatchObject({ code: 0 })
  expect(await run('workers', 'share', folder)).toMatchObject({ code: 0 })
  const made = () => service.taken.filter(({ operation }) => operation === 'segments.create').length
  return {
    ...{ folder, service, database, run, made },
    async start(): Promise<Audience> {
      const worker = startAudience(['start', '--port', '0', '--no-console', '--json'], options)
      await untilReady(worker)
      return worker
    },
    async detach(name: string): Promise<string> {
      const { out } = await run('run', join(folder, 'pipelines', name), '--detach')
      return /^run (\S+) of/.exec(out)?.[1] ?? ''
    },
    /** Whether all runs have ended. */
    async haveEnded(): Promise<boolean> {
      return (await sqlRows(database, 'SELECT 1 FROM audience.runs WHERE finished_at IS NULL')).length === 0
    },
    /** The states of the runs that did not succeed. */
    failures: () =>
      sqlRows(database, `SELECT run_id, status, error_message FROM audience.runs WHERE status <> 'succeeded'`),
    pidsOf: async (pipeline: string) =>
      (
        await sqlRows(
          database,
          `SELECT DISTINCT pid FROM audience.runs JOIN audience.workers USING (executor)
            WHERE pipeline = '${pipeline}' AND finished_at IS NULL`,
        )
      ).map(({ pid }) => pid),
  }
}

const nameOf = (worker: Audience) => `${hostname()}:${worker.pid}`
const until = async (is: () => Promise<boolean> | boolean) => {
  while (!(await is())) await sleep(200)
}

describeWithPostgres('audience workers drain', () => {
  test('ends a worker with 0 when its runs have; each run succeeds, and nothing is made twice', async () => {
    const { run, start, detach, haveEnded, failures, made, database } = await project()
    const first = await start()
    for (let one = 0; one < 3; one += 1) await detach('parent.yaml')
    await until(() => made() > 0)
    const refused = await run('workers', 'drain', nameOf(first))
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('start another one first: audience start') })
    const second = await start()
    const drained = await run('workers', 'drain', nameOf(first), '--wait', '--json', '--comment', 'upgrade')
    expect(drained.code).toBe(0)
    const events = eventsOf(drained.out)
    expect(events[0]).toMatchObject({ event: 'worker.draining', name: nameOf(first), wasDraining: false })
    expect(events.at(-1)).toMatchObject({ event: 'worker.ended' })
    expect((await first.ended).code).toBe(0)
    expect(eventsOf((await run('workers', 'list', '--json')).out)).toMatchObject([{ pid: second.pid, takes: 'all' }])
    await until(haveEnded)
    expect(await failures()).toEqual([])
    const counts = await sqlRows(
      database,
      'SELECT pipeline, count(*)::int AS runs FROM audience.runs GROUP BY 1 ORDER BY 1',
    )
    expect(counts).toEqual([
      { pipeline: 'child', runs: 3 * LISTS.length },
      { pipeline: 'parent', runs: 3 },
    ])
    expect(made()).toBe(3 * LISTS.length)
    expect((await run('audit', 'list')).out).toContain('worker.drain')
  })

  test('killed while it drains, its runs go on at the other, and nothing is made twice', async () => {
    const { run, start, detach, haveEnded, failures, made, service } = await project()
    const first = await start()
    // A write is in flight when the worker is killed.
    const held = Promise.withResolvers<void>()
    for (let one = 0; one < 2; one += 1) await detach('parent.yaml')
    service.delay('files.upload', () => held.promise)
    await until(() => service.taken.some(({ operation }) => operation === 'files.upload'))
    const second = await start()
    expect(await run('workers', 'drain', nameOf(first))).toMatchObject({ code: 0 })
    expect(await run('workers', 'drain', nameOf(first))).toMatchObject({
      out: expect.stringContaining('is already draining'),
    })
    await kill(first)
    held.resolve()
    await until(haveEnded)
    expect(await failures()).toEqual([])
    expect(made()).toBe(2 * LISTS.length)
    expect(await run('workers', 'drain', nameOf(first))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no worker/),
    })
    expect(await run('workers', 'drain', nameOf(second))).toMatchObject({ code: 1 })
  })

  test('a run that waits for a person goes to the other worker, and a drain can be undone', async () => {
    const { run, start, detach, pidsOf, haveEnded, failures } = await project()
    const first = await start()
    const runId = await detach('ask.yaml')
    await until(async () => (await pidsOf('ask'))[0] === first.pid)
    const second = await start()
    expect(await run('workers', 'drain', hostname())).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${nameOf(first)}, ${nameOf(second)}`),
    })
    expect(await run('workers', 'drain', `${nameOf(first)}9`)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`did you mean ${nameOf(first)}?`),
    })
    expect(await run('workers', 'undrain', nameOf(first))).toMatchObject({ code: 1 })
    expect(await run('workers', 'drain', nameOf(first))).toMatchObject({ code: 0 })
    expect((await first.ended).code).toBe(0)
    await until(async () => (await pidsOf('ask'))[0] === second.pid)
    expect(await run('runs', 'approve', runId, 'ask')).toMatchObject({ code: 0 })
    await until(haveEnded)
    expect(await failures()).toEqual([])
  })

  test('the keeper hands its role over: each file that is dropped meanwhile has one run', async () => {
    const { folder, run, start, database } = await project()
    mkdirSync(join(folder, 'inbox'))
    writeFileSync(join(folder, 'pipelines/dropped.yaml'), DROPPED)
    let dropped = 0
    const drop = () => {
      dropped += 1
      writeFileSync(join(folder, 'inbox', `${dropped}.csv`), `email\n${dropped}@example.com\n`)
    }
    const runs = () => sqlRows(database, `SELECT 1 FROM audience.runs WHERE status = 'succeeded'`)
    const first = await start()
    drop()
    await until(async () => (await runs()).length === 1)
    const second = await start()
    const draining = run('workers', 'drain', nameOf(first), '--wait')
    let hasEnded = false
    void first.ended.then(() => {
      hasEnded = true
    })
    while (!hasEnded || dropped < 5) {
      drop()
      await sleep(300)
    }
    expect(await draining).toMatchObject({ code: 0, out: expect.stringContaining('has ended') })
    await until(async () => (await runs()).length === dropped)
    expect(eventsOf((await run('workers', 'list', '--json')).out)).toMatchObject([{ pid: second.pid, keeper: true }])
    expect(await sqlRows(database, 'SELECT 1 FROM audience.runs')).toHaveLength(dropped)
  })

  test('a database that is away meanwhile fails no run, and the worker ends when it is back', async () => {
    const postgres = await startPostgres({ fsync: 'off' })
    onTestFinished(() => stopPostgres(postgres.data, 'immediate'))
    const { run, start, detach, haveEnded, failures, made } = await project(`${postgres.url}/postgres`)
    const first = await start()
    for (let one = 0; one < 2; one += 1) await detach('parent.yaml')
    await until(() => made() > 0)
    await start()
    expect(await run('workers', 'drain', nameOf(first))).toMatchObject({ code: 0 })
    // The outage is longer than a lease, and longer than the active steps need.
    await crashPostgres(postgres, 5000)
    expect((await first.ended).code).toBe(0)
    await until(haveEnded)
    expect(await failures()).toEqual([])
    expect(made()).toBe(2 * LISTS.length)
  })
})
