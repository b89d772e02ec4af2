import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSweep } from '../../src/notifications/sweep.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { notifierBench } from '../notifications/support/notifier-bench.ts'
import { around } from '../support/around.ts'
import { audience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { serviceOfFile } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const service = serviceOfFile()

/** Kills the process just before it prints that it leaves the run. */
const KILLER = `const write = process.stdout.write
process.stdout.write = (text, ...rest) =>
  String(text).includes('continues and waits') ? process.kill(process.pid, 'SIGKILL') : write.call(process.stdout, text, ...rest)`

test('people are told of a run that --wait leaves, even if the command is killed before it has said so', async () => {
  const cwd = tempFolder()
  const state = join(cwd, 'state')
  const env = { AUDIENCE_BASE_URL: service().url, AUDIENCE_TOKEN: service().token, AUDIENCE_STATE: state }
  const file = join(cwd, 'p.yaml')
  writeFileSync(
    file,
    'version: 1\nname: nightly\nsteps: [{ id: ask, uses: approval.wait, with: { message: May it go? } }]\n',
  )
  /** The messages that a notifier in another process sends. */
  const told = async () => {
    const bench = notifierBench(openEmbeddedState({ folder: state, redact: (text) => text, ...around }))
    await bench.outbox.begin()
    await createSweep(bench.sweepDeps())(Date.now())
    const events = (await bench.waiting()).map(({ event, runId }) => ({ event, runId }))
    bench.close()
    return events
  }
  expect(await told()).toEqual([])
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(KILLER)}`]
  const killed = await audience(['run', file, '--wait', '0s'], { cwd, env, nodeArgs })
  expect(killed.code).toBeNull()
  const { runId } = JSON.parse((await commandLine(['runs', 'show', 'latest', '--json'], { cwd, env })).out)
  const question = { event: 'approval', runId }
  expect(await told()).toEqual([question])
  expect((await commandLine(['runs', 'approve', runId, 'ask', '--reject'], { cwd, env })).code).toBe(0)
  expect((await commandLine(['runs', 'resume', runId], { cwd, env })).code).toBe(1)
  expect(await told()).toEqual([question, { event: 'failure', runId }])
})
