import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { eventsOf, type Options, root, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { projectIn, stateRows } from '../support/daemon.ts'
import { serviceOfFile } from '../support/host-service.ts'
import { givePeople } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'

const QUICKSTART = 'pipelines/quickstart.yaml'

const service = serviceOfFile()

/** A new state that uses the shared service. */
function world() {
  const { folder, options } = projectIn(tempFolder(), {
    AUDIENCE_BASE_URL: service().url,
    AUDIENCE_TOKEN: service().token,
  })
  return { folder, env: options.env }
}

/** The same with its own service, in the process that runs the pipeline. */
async function worldWithService() {
  const { folder, options } = projectIn(tempFolder())
  await givePeople(options.env.AUDIENCE_STATE)
  return { folder, env: options.env }
}

/** A copy of the quickstart that a test may change. */
function ownQuickstart(): string {
  const file = join(tempFolder(), 'mine.yaml')
  const people = join(root, 'pipelines/data/auto-intenders.csv')
  writeFileSync(file, readFileSync(join(root, QUICKSTART), 'utf8').replace('data/auto-intenders.csv', people))
  return file
}

/** Starts a pipeline and sends a signal when its output matches; returns the run's id. */
async function runUntil(file: string, pattern: RegExp, signal: NodeJS.Signals, options: Options): Promise<string> {
  const child = startAudience(['run', file, '--json'], options)
  const text = await untilOutput(child, pattern)
  child.kill(signal)
  await child.ended
  return String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
}

/** The number of segments that the runs with these ids made. */
async function segmentsOf(options: Options, ...runIds: readonly string[]): Promise<number> {
  const { out } = await commandLine(['api', 'segments.list', '--all'], options)
  const names = runIds.map((runId) => `auto-intenders-${runId}`)
  return eventsOf(out).filter(({ participantSegmentId }) => names.includes(String(participantSegmentId))).length
}

async function show(
  runId: string,
  options: Options,
): Promise<Record<string, unknown> & { steps: Record<string, unknown>[] }> {
  const { code, out, err } = await commandLine(['runs', 'show', runId, '--json'], options)
  expect(code, err).toBe(0)
  return JSON.parse(out) as Awaited<ReturnType<typeof show>>
}

describe.each([
  { signal: 'SIGINT', at: world },
  { signal: 'SIGTERM', at: world },
  { signal: 'SIGKILL', at: worldWithService },
] as const)('a run that $signal ended', ({ signal, at }) => {
  test('is listed, shown, and resumed with its own copy of the document and the events of the whole run', async () => {
    const options = await at()
    const file = ownQuickstart()
    const runId = await runUntil(file, /job\.status/, signal, options)
    writeFileSync(file, 'version: 1\nname: something-else\nsteps: []\n')
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
    const outputs = { activationStatus: 'Activated' }
    expect(events.at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded', outputs })
    expect(events.filter(({ event, step }) => event === 'step.finished' && step === 'upload')).toHaveLength(1)

    expect(await segmentsOf(options, runId)).toBe(1)
    const again = await commandLine(['runs', 'resume', runId], options)
    expect(again).toMatchObject({ code: 2 })
    expect(again.err).toContain(`audience runs retry ${runId}`)
  })
})

test('a run in the queue is left there by Ctrl-C, which says so', async () => {
  const options = world()
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
  // A run that waits for a person is not in a queue.
  const [firstEvent] = eventsOf(first.written())
  const resumed = startAudience(['runs', 'resume', String(firstEvent?.runId), '--json'], options)
  await untilOutput(resumed, /step\.waiting/)
  resumed.kill('SIGINT')
  expect(await resumed.ended).toMatchObject({ code: 130, err: expect.stringContaining('was interrupted') })
})

test('retry does not do again what succeeded; --from does', async () => {
  const options = world()
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
  const ids = [failed, retried, good].map(({ out }) => String(eventsOf(out)[0]?.runId))
  expect(await segmentsOf(options, ...ids)).toBe(1)
})

test('a run of another process is refused to a second one, and cancelled through it, which says what goes on', async () => {
  const options = world()
  // The match of this run waits for a partner's approval, so that the run does not end while the test looks.
  const file = ownQuickstart()
  const text = readFileSync(file, 'utf8').replace('groupId: ${{ inputs.groupId }}', 'partnerId: 2005')
  writeFileSync(file, text)
  const child = startAudience(['run', file, '--json'], options)
  const out = await untilOutput(child, /job\.status.*"step":"match".*PENDING_APPROVAL/)
  const runId = String(eventsOf(out.slice(0, out.indexOf('\n') + 1))[0]?.runId)
  const other = await commandLine(['runs', 'resume', runId], options)
  expect(other.code).toBe(1)
  expect(other.err).toContain('another process is working on run')
  expect(await show(runId, options)).toMatchObject({ status: 'running' })

  const cancelled = await commandLine(['runs', 'cancel', runId], options)
  expect(cancelled.code, cancelled.err).toBe(0)
  expect(cancelled.out).toMatch(/job \d+ continues at the service/)
  expect((await child.ended).code).toBe(1)
  expect(await show(runId, options)).toMatchObject({ status: 'cancelled' })
})

test('runs cancel leaves out what happened before the cancel', async () => {
  const options = world()
  const file = join(options.folder, 'ask.yaml')
  const steps = [
    '{ id: look, uses: groups.list }',
    '{ id: ask, uses: approval.wait }',
    '{ id: after, uses: groups.list }',
  ]
  writeFileSync(file, `version: 1\nname: ask\nsteps: [${steps.join(', ')}]\n`)
  const runId = await runUntil(file, /"step.waiting"/, 'SIGINT', options)
  const { code, out } = await commandLine(['runs', 'cancel', runId], options)
  expect(out).toMatch(/^ask: cancelled, .*\nafter: cancelled, .*\ncancelled in .*, run \S+\n$/)
  expect(code).toBe(0)
})

/** A pipeline that starts another one, which asks a person. */
function writeParent(folder: string): string {
  const [parent, child] = [join(folder, 'parent.yaml'), join(folder, 'ask.yaml')]
  writeFileSync(
    child,
    'version: 1\nname: ask\nsteps: [{ id: ask, uses: approval.wait }, { id: after, uses: groups.list }]\n',
  )
  writeFileSync(
    parent,
    'version: 1\nname: parent\nsteps: [{ id: child, uses: pipelines.run, with: { file: ask.yaml } }]\n',
  )
  return parent
}

/** Runs the parent until its child waits, and kills it; returns a function that runs `runs list`. */
async function killParent(options: ReturnType<typeof world>) {
  const started = startAudience(['run', writeParent(options.folder), '--json'], options)
  const listed = async () => eventsOf((await commandLine(['runs', 'list', '--json'], options)).out)
  await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(['waiting', 'running'])
  started.kill('SIGKILL')
  await started.ended
  return listed
}

test('a resumed parent shows what its child run asks, and the command that answers', async () => {
  const options = world()
  const killed = startAudience(['run', writeParent(options.folder)], options)
  await untilOutput(killed, /audience runs approve/)
  killed.kill('SIGKILL')
  await killed.ended
  const started = startAudience(['runs', 'resume', 'latest'], options)
  const out = await untilOutput(started, /audience runs approve/)
  const [, child = ''] = /^run (\S+), which this run started, step ask: waits for an approval$/m.exec(out) ?? []
  expect(out).toContain(`audience runs approve ${child} ask`)
  expect(await commandLine(['runs', 'approve', child, 'ask'], options)).toMatchObject({ code: 0 })
  expect(await started.ended).toMatchObject({ code: 0 })
})

test('runs show and runs approve of a parent tell what its child run asks', async () => {
  const options = world()
  const listed = await killParent(options)
  const [child, parent] = (await listed()).map(({ runId }) => String(runId))
  const approve = `audience runs approve ${child} ask`
  expect((await commandLine(['runs', 'show', String(parent)], options)).out).toContain(
    `needs you   run ${child}, step ask: step "ask" waits for an approval\n              ${approve}\n`,
  )
  const shown = await commandLine(['runs', 'show', String(parent), '--json'], options)
  expect(JSON.parse(shown.out).needsYou).toMatchObject([{ runId: child, step: 'ask', reason: 'approval' }])
  const { code, err } = await commandLine(['runs', 'approve', String(parent), 'child'], options)
  expect({ code, hint: err.includes(`run ${child}, which it started, waits at ask: ${approve}`) }).toEqual({
    code: 2,
    hint: true,
  })
})

test('runs cancel also cancels the child run when no process works on the parent', async () => {
  const options = world()
  const listed = await killParent(options)
  expect(await commandLine(['runs', 'cancel', 'latest'], options)).toMatchObject({ code: 0 })
  expect((await listed()).map(({ pipeline, status }) => `${pipeline} ${status}`)).toEqual([
    'ask cancelled',
    'parent cancelled',
  ])
})

test('runs cancel also cancels a child run that its parent was killed before it could record', async () => {
  const options = world()
  const listed = await killParent(options)
  forgetChild(options)
  expect(await commandLine(['runs', 'cancel', 'latest'], options)).toMatchObject({ code: 0 })
  expect((await listed()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
})

test('a step that is out of time ends, and the run that it started waits for a retry', async () => {
  const options = world()
  const parent = writeParent(options.folder)
  writeFileSync(parent, readFileSync(parent, 'utf8').replace('id: child,', 'id: child, timeout: 1s,'))
  const { code, err, out } = await commandLine(['run', parent], options)
  expect({ code, told: `${out}${err}`.includes('step "child" timed out') }).toEqual({ code: 1, told: true })
  const listed = async () => eventsOf((await commandLine(['runs', 'list', '--json'], options)).out)
  const [child, failed] = await listed()
  expect([child?.status, failed?.status]).toEqual(['waiting', 'failed'])
  expect(await commandLine(['runs', 'approve', String(child?.runId), 'ask'], options)).toMatchObject({ code: 0 })
  expect(await commandLine(['runs', 'retry', String(failed?.runId)], options)).toMatchObject({ code: 0 })
  expect((await listed()).map(({ pipeline, status }) => `${pipeline} ${status}`)).toEqual([
    'parent succeeded',
    'ask succeeded',
    'parent failed',
  ])
})

test('runs cancel prints what steps under finally ask a person, whichever process works on the run', async () => {
  const options = world()
  const file = join(options.folder, 'ask.yaml')
  const ask = (id: string) => `[{ id: ${id}, uses: approval.wait }]`
  writeFileSync(file, `version: 1\nname: ask\nsteps: ${ask('hold')}\nfinally: ${ask('last')}\n`)
  const working = startAudience(['run', file], options)
  const [, runId = ''] = /approve (\S+) hold/.exec(await untilOutput(working, /runs approve/)) ?? []
  const question = `run ${runId}, step last, waits for a person: audience runs approve ${runId} last`
  const told = await commandLine(['runs', 'cancel', runId], options)
  expect({ code: told.code, asks: told.out.includes(question) }).toEqual({ code: 0, asks: true })
  const { needsYou } = JSON.parse((await commandLine(['status', '--json'], options)).out)
  expect(needsYou).toMatchObject([{ step: 'last' }])
  const over = await commandLine(['runs', 'approve', runId, 'hold'], options)
  expect({ code: over.code, err: over.err }).toEqual({
    code: 2,
    err: expect.stringContaining('is not waiting: cancelled'),
  })
  working.kill('SIGKILL')
  await working.ended
  const cancelling = startAudience(['runs', 'cancel', runId], options)
  expect(await untilOutput(cancelling, /waits for a person/)).toContain(question)
  expect(await commandLine(['runs', 'approve', runId, 'last'], options)).toMatchObject({ code: 0 })
  expect(await cancelling.ended).toMatchObject({ code: 0 })
})

test('runs cancel ends the run itself if the process that is working on it dies before it does so', async () => {
  const options = world()
  const file = join(options.folder, 'ask.yaml')
  writeFileSync(file, 'version: 1\nname: ask\nsteps: [{ id: hold, uses: approval.wait }]\n')
  const working = startAudience(['run', file], options)
  const [, runId = ''] = /approve (\S+) hold/.exec(await untilOutput(working, /runs approve/)) ?? []
  working.kill('SIGSTOP')
  const cancelling = startAudience(['runs', 'cancel', runId], options)
  await expect.poll(() => messagesIn(options)).toBe(1)
  working.kill('SIGKILL')
  await working.ended
  expect(await cancelling.ended).toMatchObject({ code: 0 })
  const [row] = eventsOf((await commandLine(['runs', 'list', '--json'], options)).out)
  expect(row).toMatchObject({ runId, status: 'cancelled' })
})

function messagesIn({ env }: ReturnType<typeof world>): number {
  const db = new DatabaseSync(join(env.AUDIENCE_STATE, 'runs.db'))
  const { messages } = db.prepare('SELECT count(*) AS messages FROM messages').get() ?? {}
  db.close()
  return Number(messages)
}

test('a cancel does not end a run that a step of finally started, also if the process was killed before it could record it', async () => {
  const options = world()
  const parent = writeParent(options.folder)
  const text = readFileSync(parent, 'utf8').replace('steps:', 'steps: [{ id: hold, uses: approval.wait }]\nfinally:')
  writeFileSync(parent, text)
  const runId = await runUntil(parent, /"step.waiting"/, 'SIGINT', options)
  const cancelling = startAudience(['runs', 'cancel', runId], options)
  const listed = async () => eventsOf((await commandLine(['runs', 'list', '--json'], options)).out)
  await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(['waiting', 'running'])
  cancelling.kill('SIGKILL')
  await cancelling.ended
  forgetChild(options)
  const resumed = startAudience(['runs', 'resume', runId], options)
  const [, child = ''] = /approve (\S+) ask/.exec(await untilOutput(resumed, /audience runs approve/)) ?? []
  expect(await commandLine(['runs', 'approve', child, 'ask'], options)).toMatchObject({ code: 0 })
  await resumed.ended
  expect((await listed()).map(({ status }) => status)).toEqual(['succeeded', 'cancelled'])
})

/** As if the process had been killed between starting the child run and recording that. */
function forgetChild({ env }: ReturnType<typeof world>): void {
  const db = new DatabaseSync(join(env.AUDIENCE_STATE, 'runs.db'))
  const removed = db.prepare("DELETE FROM records WHERE data ->> '$.name' = 'child.intent'").run().changes
  db.close()
  expect(removed).toBe(1)
}

test('prune removes old runs and keeps the newest of each pipeline', async () => {
  const options = world()
  const file = join(options.folder, 'look.yaml')
  writeFileSync(file, 'version: 1\nname: look\nsteps:\n  - { id: look, uses: groups.list }\n')
  for (let index = 0; index < 3; index += 1) await commandLine(['run', file], options)
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
  const { code, err } = await commandLine(['runs', ...args], { cwd: root, ...world() })
  expect({ code, known: err.includes('there is no run nobody') }).toEqual({ code: 2, known: true })
})

test('an approval is asked for, given from another process, and the run goes on; logs --follow prints its events until it ends', async () => {
  const options = world()
  const child = startAudience(['run', 'pipelines/approval.yaml', '--json'], options)
  const text = await untilOutput(child, /step\.waiting/)
  const runId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  const waiting = eventsOf(text.slice(0, text.lastIndexOf('\n') + 1)).find(({ event }) => event === 'step.waiting')
  expect(eventsOf((await commandLine(['runs', 'list', '--status', 'waiting', '--json'], options)).out)).toMatchObject([
    { runId },
  ])
  const following = commandLine(['runs', 'logs', runId, '--json', '--follow'], options)
  const approved = await commandLine(['runs', 'approve', runId, String(waiting?.step)], options)
  expect(approved.code, approved.err).toBe(0)
  const { code, out } = await child.ended
  expect(code).toBe(0)
  expect(eventsOf(out).some(({ event, decision }) => event === 'step.decided' && decision === 'approved')).toBe(true)
  expect(eventsOf((await following).out)).toEqual(eventsOf(out).filter(({ event }) => event !== 'step.progress'))
  const plain = await commandLine(['runs', 'logs', runId], options)
  expect(plain.out).toMatch(/^run \S+ of approval/)
  const again = await commandLine(['runs', 'approve', runId, String(waiting?.step)], options)
  expect(again.code).toBe(2)
})

test('a run that asks twice stays among those that wait until both questions are answered', async () => {
  const options = world()
  const file = join(options.folder, 'twice.yaml')
  const steps = '[{ id: a, uses: approval.wait }, { id: b, uses: approval.wait, needs: [] }]'
  writeFileSync(file, `version: 1\nname: twice\nsteps: ${steps}\n`)
  const child = startAudience(['run', file, '--json'], options)
  await untilOutput(child, /step\.waiting.*"step":"b"/)
  const waiting = async () =>
    eventsOf((await commandLine(['runs', 'list', '--status', 'waiting', '--json'], options)).out)
  expect(await commandLine(['runs', 'approve', 'latest', 'a'], options)).toMatchObject({ code: 0 })
  await untilOutput(child, /step\.finished.*"step":"a"/)
  expect(await waiting()).toHaveLength(1)
  const { needsYou } = JSON.parse((await commandLine(['status', '--json'], options)).out)
  expect(needsYou).toMatchObject([{ step: 'b' }])
  expect(await commandLine(['runs', 'approve', 'latest', 'b'], options)).toMatchObject({ code: 0 })
  expect(await child.ended).toMatchObject({ code: 0 })
  expect(await waiting()).toEqual([])
})

test('a pipeline that runs another, killed while it waits, has one child run for each item', async () => {
  const options = world()
  const child = startAudience(['run', 'pipelines/nested.yaml', '--json'], options)
  const text = await untilOutput(child, /"uses":"pipelines\.run"/)
  const runId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  // Before either of them requests its match: if the answer to a match were lost, a person would have to say whether it
  // happened.
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
