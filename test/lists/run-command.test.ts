import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runSourceCommand } from '../../src/lists/run-command.ts'
import { isAlive } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Starts a script with the name of a file to write. `stop` ends the script as stopping a run would. */
function started(script: string, { env, timeoutMs = 60_000 }: { env?: NodeJS.ProcessEnv; timeoutMs?: number } = {}) {
  const folder = tempFolder()
  const file = join(folder, 'said')
  const stopped = new AbortController()
  const begin = `const fs = require('node:fs'), [file] = process.argv.slice(1), say = (text) => fs.appendFileSync(file, text)\n`
  const place = { name: 'it', folder, env, timeoutMs, signal: stopped.signal }
  return {
    said: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    stop: () => stopped.abort(new Error('stop')),
    run: () => runSourceCommand([process.execPath, '-e', begin + script, file], place),
  }
}

const STAYS = 'setInterval(() => {}, 1000);'

test('a command of a run that has stopped is not started', async () => {
  const { said, stop, run } = started(`say('begun')`)
  stop()
  await expect(run()).rejects.toThrow('stop')
  expect(said()).toBe('')
})

test('a command gets the environment of its source, or that of this process', async () => {
  vi.stubEnv('OF_THIS_PROCESS', 'a secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const script = 'say(`${process.env.OF_SOURCE} ${process.env.OF_THIS_PROCESS}`)'
  const { LD_LIBRARY_PATH } = process.env
  for (const [env, expected] of [
    [{ LD_LIBRARY_PATH, OF_SOURCE: 'its own' }, 'its own undefined'],
    [undefined, 'undefined a secret'],
  ] as const) {
    const { said, run } = started(script, env && { env })
    await run()
    expect(said()).toBe(expected)
  }
})

test('a command that is stopped may tidy up', async () => {
  const { said, stop, run } = started(
    `process.on('SIGTERM', () => { say(', tidy'); process.exit(0) }); ${STAYS} say('begun')`,
  )
  const over = expect(run()).rejects.toThrow('stop')
  await expect.poll(said).toBe('begun')
  stop()
  await over
  expect(said()).toBe('begun, tidy')
})

test('a command that does not end is killed after five seconds, and nothing waits after that', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { said, stop, run } = started(`process.on('SIGTERM', () => say(', asked')); ${STAYS} say('begun')`)
  const over = expect(run()).rejects.toThrow('stop')
  await expect.poll(said).toBe('begun')
  stop()
  await expect.poll(said).toBe('begun, asked')
  vi.advanceTimersByTime(5_000)
  await over
  expect(vi.getTimerCount()).toBe(0)
})

test('what a command started ends when the command is stopped, even if it resists', async () => {
  const child = `process.on('SIGTERM', () => {}); ${STAYS} require('node:fs').writeFileSync(process.argv[1], String(process.pid))`
  const { said, stop, run } = started(
    `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}, file], { stdio: 'ignore' }); ${STAYS}`,
  )
  const over = expect(run()).rejects.toThrow('stop')
  await expect.poll(said).toMatch(/^\d+$/)
  stop()
  await over
  await expect.poll(() => isAlive(Number(said()))).toBe(false)
})

test('a command that has ended gets no signal: its number may belong to another process', async () => {
  const kill = vi.spyOn(process, 'kill')
  onTestFinished(() => kill.mockRestore())
  const { said, stop, run } = started(`say('done')`)
  await run()
  stop()
  expect(said()).toBe('done')
  expect(kill).not.toHaveBeenCalled()
})
