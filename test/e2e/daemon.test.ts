import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { type Audience, type ReadyService, root, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import {
  kill,
  type Project,
  projectIn,
  type ReadyDaemon,
  spawnDaemon,
  stateRows,
  until,
  untilReady,
} from '../support/daemon.ts'
import { countMade, directClient, FOUR_WRITES } from '../support/four-writes.ts'
import { freePort } from '../support/free-port.ts'
import { hostService, serviceOfFile } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The document of a pipeline that takes the files dropped into the folder of the same name. */
function takes(name: string, steps: string, more = ''): string {
  return `version: 1
name: ${name}
inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: ../${name}, pattern: "*.csv", settle: 50ms, done: ../${name}/done, failed: ../${name}/failed, repeat: true }
    inputs: { file: "\${{ trigger.file }}" }
${more}
steps:
${steps}
`
}
const LOOK = '  - { id: look, uses: groups.list, with: {} }'
const ASK = '  - { id: ask, uses: approval.wait }'

const service = serviceOfFile()

const at = ({ url, token }: ReadyService) => ({ AUDIENCE_BASE_URL: url, AUDIENCE_TOKEN: token })

/** A project with these documents, by name. It uses the shared service unless `env` says otherwise. */
function projectOf(
  documents: Readonly<Record<string, string>>,
  config = '',
  env: Readonly<Record<string, string>> = at(service()),
): Project {
  const project = projectIn(tempFolder(), env)
  mkdirSync(join(project.folder, 'pipelines'))
  writeFileSync(join(project.folder, 'audience.yaml'), config)
  for (const [name, text] of Object.entries(documents)) write(project, name, text)
  return project
}

function write({ folder }: Project, name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'pipelines', `${name}.yaml`), text)
}

async function start(project: Project): Promise<{ readonly process: Audience; readonly ready: ReadyDaemon }> {
  const process = spawnDaemon(project.options)
  onTestFinished(() => kill(process).then(() => undefined))
  return { process, ready: await untilReady(process) }
}

/** SIGTERM ends it in limited time, whatever it is doing. */
async function stop(daemon: Audience): Promise<void> {
  daemon.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
}

/** Runs a command in the project. It must succeed; returns its output. */
async function command({ options }: Project, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await commandLine(args, options)
  expect(code, `${args.join(' ')}: ${out}${err}`).toBe(0)
  return out
}

function drop({ folder }: Project, into: string, name: string): void {
  writeFileSync(join(folder, into, name), `${name}\n`)
}

const runsOf = (project: Project, pipeline: string) =>
  stateRows(project, 'SELECT run_id, status FROM runs WHERE pipeline = ? ORDER BY submitted_at, run_id', pipeline)
const statusesOf = (project: Project, pipeline: string) => runsOf(project, pipeline).map(({ status }) => status)
const untilStatuses = (project: Project, pipeline: string, ...statuses: readonly string[]) =>
  until(() => `${statusesOf(project, pipeline)}` === `${statuses}`, {
    describe: () => `${pipeline}: ${statusesOf(project, pipeline)}, not ${statuses}`,
  })
const untilFiled = ({ folder }: Project, path: string) =>
  until(() => existsSync(join(folder, path)), { describe: () => path })
const runIdOf = (project: Project, pipeline: string, index = 0) => String(runsOf(project, pipeline)[index]?.run_id)

test('it says when it is ready, a second one is refused and told who has the state, and SIGTERM ends it', async () => {
  const project = projectOf({ drops: takes('drops', LOOK) }, '', {})
  const { process, ready } = await start(project)
  const state = join(project.folder, 'state')
  expect(ready).toEqual({
    event: 'daemon.ready',
    service: `embedded:${state}/service`,
    profile: 'local',
    synthetic: true,
    url: expect.stringMatching(/^http:\/\/127/),
    pid: process.pid,
    state,
    pipelines: 1,
  })
  expect((await fetch(`${ready.url}/healthz`)).status).toBe(200)

  const second = await commandLine(['start', '--port', '0'], project.options)
  expect(second).toMatchObject({ code: 1, out: '' })
  expect(second.err).toContain(`process ${process.pid} on `)
  expect(second.err).toContain(ready.url)

  // On a busy machine, the daemon may take longer to answer than the command waits.
  await expect
    .poll(async () => JSON.parse(await command(project, 'status', '--json')))
    .toMatchObject({
      state,
      daemon: { state: 'running', pid: process.pid, url: ready.url, alive: true, load: { runs: 0, waits: 0 } },
      runs: { queued: 0, running: 0, waiting: 0 },
      needsYou: [],
      folders: [{ pipeline: 'drops', trigger: 'drop', path: join(project.folder, 'drops'), open: 0 }],
      problems: [],
    })
  await stop(process)
  expect(JSON.parse(await command(project, 'status', '--json'))).toMatchObject({ daemon: { state: 'stopped' } })
})

test('what SIGTERM interrupts, and a run whose process was killed, go on with the next daemon', async () => {
  const project = projectOf({})
  writeFileSync(join(project.folder, 'four.yaml'), FOUR_WRITES)
  const begin = async (name: string) => {
    const inputs = ['-i', `name=${name}`, '-i', `file=${join(root, 'pipelines/data/travel-planners.csv')}`]
    const run = startAudience(['run', 'four.yaml', '--json', ...inputs], project.options)
    await untilOutput(run, /job\.status/)
    await kill(run)
  }
  await begin('first')
  const { process } = await start(project)
  await until(() => statusesOf(project, 'kill').length === 1)
  await stop(process)
  await begin('second')
  await start(project)
  await untilStatuses(project, 'kill', 'succeeded', 'succeeded')
  const api = directClient(service())
  onTestFinished(() => api.close())
  for (const name of ['first', 'second'])
    expect(await countMade(api, name)).toEqual({ segments: 1, matches: 1, activations: 1 })
})

test('documents are picked up as they change, an invalid one stays as it was, and one that has gone starts nothing', async () => {
  const project = projectOf({ drops: takes('drops', LOOK, 'outputs: { version: "1" }'), other: takes('other', LOOK) })
  const { process, ready } = await start(project)
  let log = ''
  process.stderr?.on('data', (text: string) => {
    log += text
  })
  const untilLogged = (text: string) => until(() => log.includes(text), { describe: () => `${text} in ${log}` })
  const versionOf = async (file: string) => {
    drop(project, 'drops', file)
    await untilFiled(project, `drops/done/${file}`)
    const runs = runsOf(project, 'drops')
    const run = JSON.parse(await command(project, 'runs', 'show', String(runs.at(-1)?.run_id), '--json'))
    return run.outputs.version
  }
  const problems = async () =>
    (await (await fetch(`${ready.url}/metrics`)).text()).match(/^audience_pipeline_problems (\d+)$/m)?.[1]

  expect(await versionOf('a.csv')).toBe('1')
  write(project, 'drops', takes('drops', LOOK, 'outputs: { version: "2" }'))
  await untilLogged('a pipeline has changed')
  expect(await versionOf('b.csv')).toBe('2')
  write(project, 'drops', takes('drops', '  - { id: look, uses: groups.lost, with: {} }'))
  await untilLogged('not valid: the last valid version stays in use')
  expect(await versionOf('c.csv')).toBe('2')
  expect(await problems()).toBe('1')

  write(project, 'drops', takes('drops', ASK))
  await untilLogged('valid again')
  expect(await problems()).toBe('0')
  drop(project, 'drops', 'd.csv')
  await untilStatuses(project, 'drops', 'succeeded', 'succeeded', 'succeeded', 'waiting')
  rmSync(join(project.folder, 'pipelines/drops.yaml'))
  await untilLogged('a pipeline is gone')
  drop(project, 'drops', 'e.csv')
  drop(project, 'other', 'e.csv')
  await untilFiled(project, 'other/done/e.csv')
  expect(existsSync(join(project.folder, 'drops/e.csv'))).toBe(true)
  await command(project, 'runs', 'approve', runIdOf(project, 'drops', 3), 'ask')
  await untilFiled(project, 'drops/done/d.csv')
})

test('runs of a group queue, are skipped, replace each other or fail, as their documents say', async () => {
  const kinds = ['queue', 'skip', 'cancelRunning', 'fail']
  const group = (onConflict: string) => `concurrency: { group: ${onConflict}, onConflict: ${onConflict} }`
  const project = projectOf(
    Object.fromEntries(kinds.map((kind) => [kind.toLowerCase(), takes(kind.toLowerCase(), ASK, group(kind))])),
  )
  const { ready } = await start(project)
  const dropBoth = async (name: string) => {
    drop(project, name, 'first.csv')
    await untilStatuses(project, name, 'waiting')
    drop(project, name, 'second.csv')
  }
  await Promise.all(kinds.map((kind) => dropBoth(kind.toLowerCase())))

  await untilStatuses(project, 'cancelrunning', 'cancelled', 'waiting')
  await untilFiled(project, 'cancelrunning/failed/first.csv.reason.txt')
  for (const name of ['skip', 'fail']) {
    await untilFiled(project, `${name}/failed/second.csv.reason.txt`)
    expect(statusesOf(project, name)).toEqual(['waiting'])
    const reason = readFileSync(join(project.folder, name, 'failed/second.csv.reason.txt'), 'utf8')
    expect(reason).toContain(`group ${name} `)
    expect(reason).toContain(runIdOf(project, name))
  }

  await untilStatuses(project, 'queue', 'waiting', 'queued')
  drop(project, 'queue', 'third.csv')
  await untilStatuses(project, 'queue', 'waiting', 'queued', 'queued')
  await command(project, 'runs', 'cancel', runIdOf(project, 'queue', 1))
  await untilStatuses(project, 'queue', 'waiting', 'cancelled', 'queued')
  await untilFiled(project, 'queue/failed/second.csv.reason.txt')

  // By now all of them are parked: nothing happens until somebody decides.
  const load = async () => ((await (await fetch(`${ready.url}/healthz`)).json()) as { runs: number }).runs
  await until(async () => (await load()) === 0)
  const { needsYou } = JSON.parse(await command(project, 'status', '--json'))
  expect(needsYou.map(({ reason, step }: Record<string, string>) => `${reason} ${step}`)).toEqual(
    Array(4).fill('approval ask'),
  )
  await command(project, 'runs', 'approve', runIdOf(project, 'queue'), 'ask')
  await untilStatuses(project, 'queue', 'succeeded', 'cancelled', 'waiting')
  await command(
    project,
    'runs',
    'approve',
    runIdOf(project, 'queue', 2),
    'ask',
    '--reject',
    '--by',
    'ann',
    '--comment',
    'too old',
  )
  await untilStatuses(project, 'queue', 'succeeded', 'cancelled', 'failed')
  await untilFiled(project, 'queue/done/first.csv')
  await untilFiled(project, 'queue/failed/third.csv.reason.txt')
  const letter = readFileSync(join(project.folder, 'queue/failed/third.csv.reason.txt'), 'utf8')
  expect(letter).toContain('step "ask" was not approved by ann: "too old"')
})

test('it is not ready while the service cannot be reached, and goes on when it is back', async () => {
  const state = tempFolder()
  const before = await hostService(state, await freePort())
  await before.stop()
  const patient = '  - { id: look, uses: groups.list, retry: { maxAttempts: 50, delay: 500ms, backoff: 1 } }'
  const project = projectOf({ drops: takes('drops', patient) }, '', at(before.service))
  const { ready } = await start(project)
  const readiness = async () => {
    const response = await fetch(`${ready.url}/readyz`)
    return { code: response.status, ...((await response.json()) as object) }
  }
  await until(async () => JSON.stringify(await readiness()).includes('could not be sent'))
  expect(await readiness()).toMatchObject({ code: 503, status: 'notReady', notReady: [{ check: 'service' }] })
  drop(project, 'drops', 'a.csv')
  await untilStatuses(project, 'drops', 'running')
  const after = await hostService(state, Number(new URL(before.service.url).port))
  onTestFinished(after.stop)
  await untilFiled(project, 'drops/done/a.csv')
  expect(await readiness()).toEqual({ code: 200, status: 'ready' })
})

test('people are told once of a failure and once of the recovery, also after a restart', async () => {
  const receiver = await webhookReceiver()
  const steps = `
  - id: look
    uses: groups.list
    expect: [{ check: '\${{ !fileName(inputs.file).startsWith("bad") }}', message: not today }]`
  const config = 'notify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }'
  const project = projectOf({ drops: takes('drops', steps) }, config, { ...at(service()), HOOK: receiver.url })
  const told = () => receiver.bodies.map((body) => (body as { event: string }).event)
  const { process } = await start(project)
  drop(project, 'drops', 'bad.csv')
  // A daemon that is killed between the receiver's answer and the record of it must send the message twice.
  await until(() => stateRows(project, 'SELECT 1 FROM notifications WHERE delivered_at IS NOT NULL').length === 1)
  await kill(process)
  await start(project)
  drop(project, 'drops', 'good.csv')
  await untilFiled(project, 'drops/done/good.csv')
  await until(() => told().length > 1)
  drop(project, 'drops', 'better.csv')
  await untilFiled(project, 'drops/done/better.csv')
  expect(told()).toEqual(['failure', 'recovery'])
  expect(receiver.bodies[0]).toMatchObject({
    notifications: [{ pipeline: 'drops', runId: runIdOf(project, 'drops'), step: 'look' }],
  })
  expect(readdirSync(join(project.folder, 'drops/failed'))).toEqual(['bad.csv', 'bad.csv.reason.txt'])
})
