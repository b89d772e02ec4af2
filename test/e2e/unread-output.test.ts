import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { audience, startAudience, untilOutput } from '../support/audience.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { givePeople } from '../support/people.ts'
import { openRecordedProject } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a run goes on to its end when the reader of its output has gone, as with `| head`', async () => {
  const project = projectIn(tempFolder())
  await givePeople(project.options.env.AUDIENCE_STATE)
  const run = startAudience(['run', 'pipelines/quickstart.yaml', '--json'], { env: project.options.env })
  await untilOutput(run, /\n/)
  run.stdout?.destroy()
  run.stderr?.destroy()
  expect(await run.ended).toMatchObject({ code: 0 })
  expect(stateRows(project, 'SELECT status FROM runs')).toEqual([{ status: 'succeeded' }])
})

test('a command whose reader has gone ends with its own exit code, and with 0 if its output has no end', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'bad.yaml'), 'version: 1\nname: bad\nsteps: []\n')
  const { addRun, close } = openRecordedProject(folder)
  await addRun('not-ended')
  onTestFinished(close)
  const state = { AUDIENCE_STATE: join(folder, 'state') }
  const unread = async (args: string[], code: number) => {
    const child = startAudience(args, { env: state })
    child.stdout?.destroy()
    expect(await child.ended, args.join(' ')).toMatchObject({ code, err: '' })
  }
  await unread(['schema'], 0)
  await unread(['runs', 'list'], 0)
  await unread(['validate', join(folder, 'bad.yaml')], 3)
  await unread(['status', '--watch', '--json'], 0)
  await unread(['runs', 'logs', 'not-ended', '--follow'], 0)
})

test.each([
  ['status', '--watch'],
  ['runs', 'watch', 'not-ended'],
])('a hang-up ends watching with 0: %s %s', async (...args) => {
  const folder = tempFolder()
  const { addRun, close } = openRecordedProject(folder)
  await addRun('not-ended')
  onTestFinished(close)
  const child = startAudience(args, { env: { AUDIENCE_STATE: join(folder, 'state') } })
  await untilOutput(child, /\n/)
  child.kill('SIGHUP')
  expect(await child.ended).toMatchObject({ code: 0 })
})

test('a command whose output cannot be written says so', async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { code, err } = await audience(['schema'], { stdout: full })
  expect(err).toMatch(/^the output cannot be written: .*ENOSPC/)
  expect(code).toBe(1)
})

test.each(['its reader has gone', 'its disk is full'])(
  'the daemon does its work while its log cannot be written, because %s, and a hang-up stops it in order',
  async (why) => {
    // The daemon needs no service.
    const nobody = { AUDIENCE_BASE_URL: 'http://127.0.0.1:9', AUDIENCE_TOKEN: 'unused' }
    const project = projectIn(tempFolder(), nobody)
    mkdirSync(join(project.folder, 'pipelines'))
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const daemon = spawnDaemon({ ...project.options, ...(why === 'its disk is full' && { stderr: full }) })
    onTestFinished(() => kill(daemon).then(() => undefined))
    const { url } = await untilReady(daemon)
    daemon.stdout?.destroy()
    daemon.stderr?.destroy()
    writeFileSync(join(project.folder, 'pipelines/bad.yaml'), 'version: 1\n')
    const metrics = async () => (await fetch(`${url}/metrics`)).text()
    // The problem is logged, too.
    await until(async () => /audience_pipeline_problems 1/.test(await metrics()))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await kill(daemon, 'SIGHUP')).toMatchObject({ code: 0 })
  },
)
