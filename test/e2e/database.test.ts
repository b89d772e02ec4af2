import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { startOtherService } from '../other-service/other-service.ts'
import { type Audience, eventsOf, startAudience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, untilReady } from '../support/daemon.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { sql, sqlRows } from '../support/sql.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PASSWORD = 'never-shown-9'

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
    expect: [{ check: '\${{ !fileName(inputs.file).startsWith("bad") }}', message: not today }]
`

/** A project whose state is a new database. `audience` runs a command in the project. */
async function project() {
  const folder = tempFolder()
  const service = await startOtherService({ now: Date.now })
  onTestFinished(() => service.close())
  const receiver = await webhookReceiver()
  for (const each of ['pipelines', 'inbox']) mkdirSync(join(folder, each))
  writeFileSync(join(folder, 'pipelines/dropped.yaml'), DROPPED)
  writeFileSync(join(folder, 'pipelines/people.csv'), 'email\na@example.com\n')
  writeFileSync(
    join(folder, 'audience.yaml'),
    `profile: here
stateEnv: DATABASE
profiles: { here: { baseUrl: "${service.url}", tokenEnv: TOKEN } }
notify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }
`,
  )
  const own = { TOKEN: service.token, HOOK: receiver.url }
  const options = { cwd: folder, env: { DATABASE: await newDatabase(), PGPASSWORD: PASSWORD, ...own } }
  const run = async (...args: readonly string[]) => {
    const ended = await commandLine(args, options)
    expect(ended.out + ended.err).not.toContain(PASSWORD)
    return ended
  }
  expect(await run('workers', 'share', folder)).toMatchObject({ code: 0 })
  return { folder, options, receiver, run }
}

function startWorker(options: Parameters<typeof startAudience>[1]): Audience {
  return startAudience(['start', '--port', '0', '--no-console', '--json'], options)
}

/** Runs a command until its output matches. */
async function until(command: () => Promise<{ readonly out: string }>, pattern: RegExp): Promise<string> {
  for (;;) {
    const { out } = await command()
    if (pattern.test(out)) return out
    await sleep(100)
  }
}

describeWithPostgres('a state in PostgreSQL', () => {
  test('says that no worker takes a run, is checked and backed up as a database, and never shows its password', async () => {
    const { folder, run } = await project()
    const [dropped, people] = ['dropped.yaml', 'people.csv'].map((name) => join(folder, 'pipelines', name))
    const { out } = await run('run', String(dropped), '-i', `file=${people}`, '--detach')
    expect(out).toContain('is queued: a worker takes it once `audience start` runs; or audience runs resume')
    const [, runId = ''] = /^run (\S+) of/.exec(out) ?? []
    expect(await run('runs', 'list')).toMatchObject({
      out: expect.stringContaining('queued for a worker, and none is running: audience start'),
    })
    expect(JSON.parse((await run('status', '--json')).out).needsYou).toMatchObject([
      { runId, reason: 'queued', commands: ['audience start', `audience runs resume ${runId}`] },
    ])
    expect(await run('runs', 'cancel', runId)).toMatchObject({ code: 0 })
    expect(await run('state', 'check')).toMatchObject({ code: 0, out: expect.stringMatching(/is intact: 1 run/) })
    expect(await run('backup', 'a.dump')).toMatchObject({
      out: expect.stringMatching(/ pg_dump .* --schema=dbos .*postgres/),
    })
    expect(await run('state', 'compact')).toMatchObject({ code: 3 })
    expect(await run('workers', 'list')).toMatchObject({ code: 0, out: 'no workers\n' })
  })

  test('of two workers one keeps schedules and folders and tells people; when it is killed, the other does', async () => {
    const { folder, options, receiver, run } = await project()
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
    drop('bad.csv', 'a@example.com')
    // A daemon that is killed between the receiver's answer and the record of it must send the message twice.
    const delivered = 'SELECT 1 FROM audience.notifications WHERE delivered_at IS NOT NULL'
    await expect.poll(() => sqlRows(options.env.DATABASE, delivered)).toHaveLength(1)
    await kill(first)
    drop('two.csv', 'b@example.com')
    await until(() => run('runs', 'list', '--status', 'succeeded'), /two\.csv/)
    await expect.poll(() => existsSync(join(folder, 'inbox/done/two.csv'))).toBe(true)
    await expect.poll(() => receiver.bodies).toMatchObject([{ event: 'failure' }, { event: 'recovery' }])
    expect(await run('schedule', 'next')).toMatchObject({ code: 0, out: expect.stringContaining('dropped/often') })
    expect(await run('schedule', 'pause', 'dropped/often')).toMatchObject({ code: 0 })
    expect(await run('schedule', 'list', 'dropped/often')).toMatchObject({ code: 0 })
    expect(await run('status')).toMatchObject({ out: expect.stringContaining(`process ${second.pid}`) })
    expect(await kill(second, 'SIGTERM')).toMatchObject({ code: 0 })
    expect(receiver.bodies).toHaveLength(2)
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
