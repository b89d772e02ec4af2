import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { around } from '../support/around.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { askClock, virtualTime } from '../support/virtual-time.ts'

const DOCUMENT = `version: 1
name: nightly
steps:
  - { id: look, uses: groups.list }
`
const HOUR = 3_600_000

test('a run that no process works on is in /readyz, in status with the command, in a metric, and in one message, until one resumes it', async () => {
  const receiver = await webhookReceiver()
  const project = projectIn(tempFolder(), { HOOK: receiver.url })
  const { folder, options } = project
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'audience.yaml'), 'notify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }')
  const { journal } = openEmbeddedState({ folder: join(folder, 'state'), redact: (text) => text, ...around })
  const submission = { file: 'a.yaml', folder, digest: '', inputs: {}, trigger: {} }
  const record = { type: 'run.submitted', pipeline: 'nightly', text: 'of another version', ...submission } as const
  await journal.submit({ runId: 'r1', at: Date.now() - HOUR, record })
  journal.close()
  const needsYou = async () => {
    const { code, out } = await commandLine(['status', '--json'], options)
    expect(code).toBe(0)
    return JSON.parse(out).needsYou as unknown[]
  }
  const entry = {
    runId: 'r1',
    pipeline: 'nightly',
    reason: 'orphaned',
    since: expect.any(String),
    message: 'no process is working on this run',
    commands: ['audience runs resume r1'],
  }
  expect(await needsYou()).toEqual([entry])

  const virtual = virtualTime(Date.now())
  const daemon = spawnDaemon({ ...options, ...virtual, env: { ...options.env, ...virtual.env }, ipc: true })
  onTestFinished(() => kill(daemon).then(() => undefined))
  const { url } = await untilReady(daemon)
  await askClock(daemon, { speed: 50 })
  const notReady = async () => {
    const answer = (await (await fetch(`${url}/readyz`)).json()) as { notReady?: { check: string; reason: string }[] }
    return answer.notReady ?? []
  }
  const metric = async () => /^audience_runs_unattended (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  await until(async () => (await notReady()).length > 0)
  expect(await notReady()).toEqual([
    { check: 'runs', reason: expect.stringContaining('no process is working on run r1 of nightly') },
  ])
  expect(await metric()).toBe('1')
  expect(await needsYou()).toEqual([entry])
  await until(() => stateRows(project, 'SELECT 1 FROM notifications WHERE delivered_at IS NOT NULL').length === 1)

  // From now on, this version can read the document.
  const db = new DatabaseSync(join(folder, 'state/runs.db'), { timeout: 5000 })
  db.prepare('UPDATE documents SET text = ?').run(DOCUMENT)
  db.close()
  await until(() => stateRows(project, `SELECT 1 FROM runs WHERE status = 'succeeded'`).length === 1)
  await until(async () => (await notReady()).length === 0)
  expect(await metric()).toBe('0')
  expect(await needsYou()).toEqual([])
  expect(receiver.bodies).toMatchObject([{ event: 'stuck', next: ['audience status', 'audience runs resume r1'] }])
})
