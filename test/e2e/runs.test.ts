import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { eventsOf, type Options, type ReadyService, root, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { projectIn, stateRows } from '../support/daemon.ts'
import { givePeople } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'

const QUICKSTART = 'pipelines/quickstart.yaml'

async function world() {
  const { folder, options } = projectIn(tempFolder())
  await givePeople(options.env.AUDIENCE_STATE)
  return { folder, env: options.env }
}

/** Starts the quickstart and ends it with a signal when its output matches; returns the run's id. */
async function runUntil(pattern: RegExp, signal: NodeJS.Signals, options: Options): Promise<string> {
  const child = startAudience(['run', QUICKSTART, '--json'], options)
  const text = await untilOutput(child, pattern)
  child.kill(signal)
  await child.ended
  return String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
}

async function show(
  runId: string,
  options: Options,
): Promise<Record<string, unknown> & { steps: Record<string, unknown>[] }> {
  const { code, out, err } = await commandLine(['runs', 'show', runId, '--json'], options)
  expect(code, err).toBe(0)
  return JSON.parse(out) as Awaited<ReturnType<typeof show>>
}

describe.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('a run that %s ended', (signal) => {
  test('is listed, shown and resumed with the events of the whole run', async () => {
    const options = await world()
    const runId = await runUntil(/job\.status/, signal, options)
    const list = await commandLine(['runs', 'list', '--json'], options)
    expect(eventsOf(list.out)).toMatchObject([{ runId, pipeline: 'quickstart', status: 'running' }])
    expect(await show(runId, options)).toMatchObject({
      status: 'running',
      steps: [
        { step: 'upload', status: 'succeeded' },
        { step: 'segment', status: 'running' },
      ],
    })

    const resumed = await commandLine(['runs', 'resume', runId, '--json'], options)
    expect(resumed.code, resumed.err).toBe(0)
    const events = eventsOf(resumed.out)
    expect(events[0]).toMatchObject({ event: 'run.started', runId })
    expect(events.at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
    expect(events.filter(({ event, step }) => event === 'step.finished' && step === 'upload')).toHaveLength(1)

    const segments = await commandLine(['api', 'segments.list', '--all'], options)
    expect(eventsOf(segments.out)).toHaveLength(1)
    const again = await commandLine(['runs', 'resume', runId], options)
    expect(again).toMatchObject({ code: 2 })
    expect(again.err).toContain(`audience runs retry ${runId}`)
  })
})

test('a run in the queue is left there by Ctrl-C, which says so', async () => {
  const options = await world()
  const file = join(tempFolder(), 'one-at-a-time.yaml')
  writeFileSync(
    file,
    'version: 1\nname: one-at-a-time\nconcurrency: { group: g }\nsteps:\n  - id: ask\n    uses: approval.wait\n    with: { message: "May it?" }\n',
  )
  const first = startAudience(['run', file, '--json'], options)
  await untilOutput(first, /step\.waiting/)
  const second = startAudience(['run', file, '--json'], options)
  const queued = await untilOutput(second, /run\.queued/)
  const { runId } = eventsOf(queued.slice(0, queued.indexOf('\n') + 1))[0] ?? {}
  second.kill('SIGINT')
  const { code, err } = await second.ended
  expect(code).toBe(130)
  expect(err).toContain(`run ${runId} stays in the queue`)
  expect(err).toContain(`audience runs resume ${runId}`)
  expect(await show(String(runId), options)).toMatchObject({ status: 'queued' })
  first.kill('SIGHUP')
  expect((await first.ended).code).toBe(130)
  // One that waits for a person is in no queue.
  const [firstEvent] = eventsOf(first.written())
  const resumed = startAudience(['runs', 'resume', String(firstEvent?.runId), '--json'], options)
  await untilOutput(resumed, /step\.waiting/)
  resumed.kill('SIGINT')
  expect(await resumed.ended).toMatchObject({ code: 130, err: expect.stringContaining('was interrupted') })
})

test('a run keeps its own copy of the document', async () => {
  const options = await world()
  const file = join(tempFolder(), 'mine.yaml')
  const text = readFileSync(QUICKSTART, 'utf8').replace(
    'data/auto-intenders.csv',
    join(process.cwd(), 'pipelines/data/auto-intenders.csv'),
  )
  writeFileSync(file, text)
  const child = startAudience(['run', file, '--json'], options)
  const started = await untilOutput(child, /job\.status/)
  child.kill('SIGINT')
  await child.ended
  writeFileSync(file, 'version: 1\nname: something-else\nsteps: []\n')
  const { runId } = eventsOf(started.slice(0, started.indexOf('\n') + 1))[0] ?? {}
  const resumed = await commandLine(['runs', 'resume', String(runId), '--json'], options)
  expect(eventsOf(resumed.out).at(-1)).toMatchObject({
    status: 'succeeded',
    outputs: { activationStatus: 'Activated' },
  })
})

test('retry does not do again what succeeded; --from does', async () => {
  const options = await world()
  const failed = await commandLine(['run', QUICKSTART, '--json', '-i', 'groupId=4711'], options)
  expect(failed.code).toBe(1)
  const runId = String(eventsOf(failed.out)[0]?.runId)
  const retried = await commandLine(['runs', 'retry', runId, '--json'], options)
  expect(retried.code).toBe(1)
  const steps = eventsOf(retried.out).filter(({ event }) => event === 'step.started')
  expect(steps.map(({ step }) => step)).toEqual(['match'])

  const good = await commandLine(['run', QUICKSTART, '--json', '--from', 'match', '--of', runId], options)
  expect(good.code, good.err).toBe(0)
  expect(
    eventsOf(good.out)
      .filter(({ event }) => event === 'step.started')
      .map(({ step }) => step),
  ).toEqual(['match', 'activate'])
  const segments = await commandLine(['api', 'segments.list', '--all'], options)
  expect(eventsOf(segments.out)).toHaveLength(1)
})

/** The quickstart up to its match, which waits for a partner's approval, so that it does not end while a test looks. */
async function startHeld(options: Options) {
  const file = join(tempFolder(), 'held.yaml')
  const people = join(root, 'pipelines/data/auto-intenders.csv')
  const text = readFileSync(join(root, QUICKSTART), 'utf8').replace('data/auto-intenders.csv', people)
  const upToMatch = text.slice(0, text.indexOf('\n  - id: activate'))
  writeFileSync(file, `${upToMatch.replace('groupId: ${{ inputs.groupId }}', 'partnerId: 2005')}\n`)
  const child = startAudience(['run', file, '--json'], options)
  const out = await untilOutput(child, /job\.status.*"step":"match".*PENDING_APPROVAL/)
  const match = eventsOf(out.slice(0, out.lastIndexOf('\n') + 1)).findLast(({ step }) => step === 'match')
  return { child, runId: String(match?.runId), jobId: String(match?.jobId) }
}

test('cancel ends a run in another process, and says what goes on', async () => {
  const options = await world()
  const { child, runId } = await startHeld(options)
  const cancelled = await commandLine(['runs', 'cancel', runId], options)
  expect(cancelled.code, cancelled.err).toBe(0)
  expect(cancelled.out).toMatch(/job \d+ goes on at the service/)
  expect((await child.ended).code).toBe(1)
  expect(await show(runId, options)).toMatchObject({ status: 'cancelled' })
})

test('two processes never work on the same run', async () => {
  const options = await world()
  const { child, runId, jobId } = await startHeld(options)
  const other = await commandLine(['runs', 'resume', runId], options)
  expect(other.code).toBe(1)
  expect(other.err).toContain('another process works on run')
  const endpoint = readFileSync(join(String(options.env.AUDIENCE_STATE), 'service/endpoint.json'), 'utf8')
  const { control } = JSON.parse(endpoint) as ReadyService
  const headers = { authorization: `Bearer ${control.token}` }
  expect((await fetch(`${control.url}/jobs/${jobId}/approve`, { method: 'POST', headers })).status).toBe(200)
  expect((await child.ended).code).toBe(0)
})

test('logs prints the events of a run; with --follow until it ends', async () => {
  const options = await world()
  const child = startAudience(['run', QUICKSTART, '--json'], options)
  const text = await untilOutput(child, /job\.status/)
  const runId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  const followed = await commandLine(['runs', 'logs', runId, '--json', '--follow'], options)
  const { out } = await child.ended
  const durable = eventsOf(out).filter(({ event }) => event !== 'step.progress')
  expect(eventsOf(followed.out)).toEqual(durable)
  const plain = await commandLine(['runs', 'logs', runId], options)
  expect(plain.out).toMatch(/^run \S+ of quickstart/)
})

test('prune removes old runs and keeps the newest of each pipeline', async () => {
  const options = await world()
  for (let index = 0; index < 3; index += 1) await commandLine(['run', QUICKSTART, '-i', 'groupId=4711'], options)
  expect((await commandLine(['runs', 'prune', '--older-than', '0s', '--keep', '1', '--dry-run'], options)).out).toBe(
    'would remove 2 runs\n',
  )
  expect((await commandLine(['runs', 'prune', '--older-than', '0s', '--keep', '1'], options)).out).toBe(
    'removed 2 runs\n',
  )
  expect(eventsOf((await commandLine(['runs', 'list', '--json'], options)).out)).toHaveLength(1)
})

test.each([
  ['show', 'nobody'],
  ['resume', 'nobody'],
  ['retry', 'nobody'],
  ['cancel', 'nobody'],
  ['logs', 'nobody'],
  ['approve', 'nobody', 'step'],
])('runs %s of an unknown run is a usage error', async (...args) => {
  const { code, err } = await commandLine(['runs', ...args], { cwd: root, ...(await world()) })
  expect({ code, known: err.includes('there is no run nobody') }).toEqual({ code: 2, known: true })
})

test('an approval is asked for, given from another process, and the run goes on', async () => {
  const options = await world()
  const child = startAudience(['run', 'pipelines/approval.yaml', '--json'], options)
  const text = await untilOutput(child, /step\.waiting/)
  const runId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  const waiting = eventsOf(text.slice(0, text.lastIndexOf('\n') + 1)).find(({ event }) => event === 'step.waiting')
  expect(eventsOf((await commandLine(['runs', 'list', '--status', 'waiting', '--json'], options)).out)).toMatchObject([
    { runId },
  ])
  const approved = await commandLine(['runs', 'approve', runId, String(waiting?.step)], options)
  expect(approved.code, approved.err).toBe(0)
  const { code, out } = await child.ended
  expect(code).toBe(0)
  expect(eventsOf(out).some(({ event, decision }) => event === 'step.decided' && decision === 'approved')).toBe(true)
  const again = await commandLine(['runs', 'approve', runId, String(waiting?.step)], options)
  expect(again.code).toBe(2)
})

test('a pipeline that runs another, killed while it waits, has one child run for each item', async () => {
  const options = await world()
  const child = startAudience(['run', 'pipelines/nested.yaml', '--json'], options)
  const text = await untilOutput(child, /"uses":"pipelines\.run"/)
  const runId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  // Before either asks for its match: of a match whose answer nobody got, a person would have to say whether it happened.
  while (stateRows(options, 'SELECT run_id FROM runs').length < 3) await sleep(5)
  child.kill('SIGKILL')
  await child.ended
  const resumed = await commandLine(['runs', 'resume', runId, '--json'], options)
  expect(resumed.code, resumed.err).toBe(0)
  const runs = eventsOf((await commandLine(['runs', 'list', '--json'], options)).out)
  expect(runs.every(({ status }) => status === 'succeeded')).toBe(true)
  const children = runs.filter((run) => run.runId !== runId)
  const steps = (await show(runId, options)).steps.filter(
    ({ outputs }) => (outputs as { runId?: string } | undefined)?.runId,
  )
  expect(children.map((run) => run.runId).toSorted()).toEqual(
    steps.map(({ outputs }) => (outputs as { runId: string }).runId).toSorted(),
  )
})
