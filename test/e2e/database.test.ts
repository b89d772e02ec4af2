import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Audience, audience, eventsOf, root, startAudience, startService } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, untilReady } from '../support/daemon.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { sql } from '../support/sql.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PASSWORD = 'never-shown-9'

const WAITS = `version: 1
name: waits
steps:
  - id: agree
    uses: approval.wait
    with: { message: may it go on }
`

const DROPPED = `version: 1
name: dropped
inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: ../inbox, pattern: "*.csv", settle: 200ms, done: ../inbox/done, failed: ../inbox/failed }
    inputs: { file: "\${{ trigger.file }}" }
  - id: often
    schedule: { cron: "*/5 * * * *", timezone: UTC }
    inputs: { file: people.csv }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
`

/** A project whose state is a new database; `audience` runs a command in it. */
async function project() {
  const folder = tempFolder()
  const { service } = await startService(join(folder, 'service'))
  for (const each of ['pipelines', 'inbox']) mkdirSync(join(folder, each))
  writeFileSync(join(folder, 'pipelines/waits.yaml'), WAITS)
  writeFileSync(join(folder, 'pipelines/dropped.yaml'), DROPPED)
  for (const name of ['quickstart.yaml', 'data'])
    cpSync(join(root, 'pipelines', name), join(folder, 'pipelines', name), { recursive: true })
  cpSync(join(folder, 'pipelines/data/auto-intenders.csv'), join(folder, 'pipelines/people.csv'))
  writeFileSync(
    join(folder, 'audience.yaml'),
    `profile: here\nstateEnv: DATABASE\nprofiles: { here: { baseUrl: "${service.url}", tokenEnv: TOKEN } }\n`,
  )
  const options = { cwd: folder, env: { DATABASE: await newDatabase(), PGPASSWORD: PASSWORD, TOKEN: service.token } }
  const run = async (...args: readonly string[]) => {
    const ended = await commandLine(args, options)
    expect(ended.out + ended.err).not.toContain(PASSWORD)
    return ended
  }
  expect(await run('workers', 'share', folder)).toMatchObject({ code: 0 })
  return { folder, options, run }
}

function startWorker(options: Parameters<typeof startAudience>[1]): Audience {
  return startAudience(['start', '--port', '0', '--no-console', '--json'], options)
}

/** Runs a command until what it prints matches. */
async function until(command: () => Promise<{ readonly out: string }>, pattern: RegExp): Promise<string> {
  for (;;) {
    const { out } = await command()
    if (pattern.test(out)) return out
    await sleep(100)
  }
}

describeWithPostgres('a state in PostgreSQL', () => {
  test('runs, lists, shows, retries, plans, backs up and checks as a folder does', async () => {
    const { folder, options, run } = await project()
    const file = join(folder, 'pipelines/quickstart.yaml')
    const ended = await audience(['run', file, '--json'], options)
    expect(ended).toMatchObject({ code: 0 })
    const { runId } = eventsOf(ended.out)[0] as { runId: string }
    expect(await run('runs', 'list')).toMatchObject({ code: 0, out: expect.stringMatching(/quickstart .*succeeded/) })
    expect(await run('runs', 'show', 'latest')).toMatchObject({ code: 0, out: expect.stringContaining(runId) })
    expect(await run('runs', 'logs', runId)).toMatchObject({ code: 0, out: expect.stringContaining('people matched') })
    expect(await run('runs', 'retry', runId, '--from', 'activate')).toMatchObject({ code: 0 })
    expect(await run('plan', file)).toMatchObject({ code: 0 })
    expect(await run('status', '--json')).toMatchObject({ code: 0, out: expect.stringMatching(/"succeeded":2/) })
    expect(await run('completion', '--list', 'run')).toMatchObject({ code: 0, out: expect.stringContaining(runId) })
    expect(await run('state', 'check')).toMatchObject({ code: 0, out: expect.stringMatching(/is whole: 2 runs/) })
    expect(await run('backup', 'a.dump')).toMatchObject({
      out: expect.stringMatching(/ pg_dump .* --schema=dbos .*postgres/),
    })
    expect(await run('state', 'compact')).toMatchObject({ code: 3 })
    expect(await run('runs', 'prune', '--older-than', '0s', '--keep', '0')).toMatchObject({
      code: 0,
      out: 'removed 1 run\n',
    })
    expect(await run('workers', 'list')).toMatchObject({ code: 0, out: 'no workers\n' })
  })

  test('a run that waits is approved, one that is queued is cancelled, and a worker takes what others leave', async () => {
    const { folder, options, run } = await project()
    const detach = async () => {
      const { out } = await run('run', join(folder, 'pipelines/waits.yaml'), '--detach', '--json')
      return (eventsOf(out)[0] as { runId: string }).runId
    }
    const [approved, cancelled] = [await detach(), await detach()]
    expect(await run('runs', 'list')).toMatchObject({
      out: expect.stringContaining('queued for a worker, and none is running: audience start'),
    })
    expect(JSON.parse((await run('status', '--json')).out).needsYou).toMatchObject([
      { runId: cancelled, reason: 'queued', commands: ['audience start', `audience runs resume ${cancelled}`] },
      { runId: approved },
    ])
    expect(await run('runs', 'cancel', cancelled)).toMatchObject({ code: 0 })
    await untilReady(startWorker(options))
    await until(() => run('runs', 'list', '--status', 'waiting'), new RegExp(approved))
    expect(await run('runs', 'approve', approved, 'agree')).toMatchObject({ code: 0 })
    await until(() => run('runs', 'list', '--status', 'succeeded'), new RegExp(approved))
    expect(await run('runs', 'list', '--status', 'cancelled')).toMatchObject({
      out: expect.stringContaining(cancelled),
    })
  })

  test('of two workers one keeps schedules and folders; when it is killed, the other does', async () => {
    const { folder, options, run } = await project()
    const first = startWorker(options)
    await untilReady(first)
    await until(() => run('workers', 'list'), /keeper/)
    const second = startWorker(options)
    await untilReady(second)
    const workers = eventsOf((await run('workers', 'list', '--json')).out)
    expect(workers).toMatchObject([
      { pid: first.pid, runs: 0, keeper: true, host: expect.any(String), version: expect.any(String) },
      {
        pid: second.pid,
        keeper: false,
        startedAt: expect.stringMatching(/Z$/),
        expiresAt: expect.stringMatching(/Z$/),
      },
    ])
    const drop = (name: string, line: string) => writeFileSync(join(folder, 'inbox', name), `email\n${line}\n`)
    drop('one.csv', 'a@example.com')
    await until(() => run('runs', 'list', '--status', 'succeeded'), /one\.csv/)
    await kill(first)
    drop('two.csv', 'b@example.com')
    await until(() => run('runs', 'list', '--status', 'succeeded'), /two\.csv/)
    await until(async () => ({ out: readdirSync(join(folder, 'inbox/done')).join() }), /two\.csv/)
    expect(await run('schedule', 'next')).toMatchObject({ code: 0, out: expect.stringContaining('dropped/often') })
    expect(await run('schedule', 'pause', 'dropped/often')).toMatchObject({ code: 0 })
    expect(await run('schedule', 'list', 'dropped/often')).toMatchObject({ code: 0 })
    expect(await run('status')).toMatchObject({ out: expect.stringContaining(`process ${second.pid}`) })
    expect(await kill(second, 'SIGTERM')).toMatchObject({ code: 0 })
    expect(await run('workers', 'list')).toMatchObject({ out: 'no workers\n' })
  })

  test('a worker whose lease others have ended ends with 75, and its log has no password', async () => {
    const { options } = await project()
    const worker = startWorker(options)
    await untilReady(worker)
    await sql(options.env.DATABASE, 'DELETE FROM audience.workers')
    const { code, out, err } = await worker.ended
    expect(code).toBe(75)
    expect(err).toContain('other workers have taken over the runs of this process')
    expect(out + err).not.toContain(PASSWORD)
  })

  test('where the folder is not marked as shared, nothing starts, and the command that marks it is named; without tables that comes first', async () => {
    const { options } = await project()
    const elsewhere = tempFolder()
    writeFileSync(join(elsewhere, 'audience.yaml'), readFileSync(join(options.cwd, 'audience.yaml')))
    mkdirSync(join(elsewhere, 'pipelines'))
    writeFileSync(join(elsewhere, 'pipelines/dropped.yaml'), DROPPED)
    const status = await commandLine(['status'], { ...options, cwd: elsewhere })
    expect(status.out).toContain(`not watched on ${hostname()}`)
    expect(status.out).toContain(`audience workers share ${join(elsewhere, 'inbox')}`)
    const start = () => commandLine(['start', '--port', '0'], { ...options, cwd: elsewhere })
    expect(await start()).toMatchObject({ code: 3, err: expect.stringContaining('audience workers share') })
    await sql(options.env.DATABASE, 'DROP SCHEMA audience CASCADE')
    expect(await start()).toMatchObject({ code: 3, err: expect.stringContaining('audience state migrate') })
  })
})
