import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { root } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCUMENT = 'version: 1\nname: p\nsteps: [{ id: a, uses: run.fail, with: { message: hello } }]\n'

function project() {
  const cwd = tempFolder()
  const file = join(cwd, 'p.yaml')
  writeFileSync(file, DOCUMENT)
  const state = join(cwd, 'state')
  const run = () => commandLine(['run', file, '--detach'], { cwd, env: { AUDIENCE_STATE: state } })
  const list = () => commandLine(['runs', 'list'], { cwd, env: { AUDIENCE_STATE: state } })
  return { cwd, state, run, list }
}

test.each([
  ['BEGIN EXCLUSIVE', 'run'],
  ['PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (x)', 'list'],
] as const)(
  'a state that another process keeps for itself (%s) is called locked, with that process',
  async (sql, command) => {
    const { state, run, list } = project()
    expect((await run()).code).toBe(0)
    const script = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]); db.exec(${JSON.stringify(sql)}); console.log('locked'); setInterval(() => undefined, 1000)`
    const holder = spawn(process.execPath, ['-e', script, join(state, 'runs.db')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void holder.kill())
    await once(holder.stdout, 'data')
    const { code, err } = await (command === 'run' ? run() : list())
    expect(code).toBe(1)
    expect(err).toContain(`the state in ${join(state, 'runs.db')} is locked by`)
    if (process.platform === 'linux') expect(err).toContain(`process ${holder.pid} (node)`)
    expect(err).toContain('the state is intact')
    expect(err).not.toContain('backup')
  },
)

test('a run of --detach is recorded as one that nobody watches, so that people are told how it ends', async () => {
  const { state, run } = project()
  const [, runId = ''] = /run (\S+) of p is queued/.exec((await run()).out) ?? []
  const { runs, close } = openEmbeddedState({ folder: state, redact: (text) => text, ...around })
  onTestFinished(close)
  expect(await runs.submission(runId)).toMatchObject({ via: 'detached' })
})

test.each([
  ['a file', (path: string) => writeFileSync(path, 'x')],
  ['a link that leads nowhere', (path: string) => symlinkSync('/nonexistent/place', path)],
])('%s in the place of the state folder is an error that asks for no backup', async (_, put) => {
  const { state, run } = project()
  put(state)
  const { code, err } = await run()
  expect(code).toBe(1)
  expect(err).toContain('where the folder should be: move it away')
  expect(err).not.toMatch(/backup|\n {4}at /)
})

test('a working directory that is gone is an error with what to do', async () => {
  const gone = join(tempFolder(), 'gone')
  mkdirSync(gone)
  const child = spawn(
    'sh',
    ['-c', 'read _; exec "$0" "$@"', process.execPath, join(root, 'dist/main.js'), 'runs', 'list'],
    {
      cwd: gone,
      stdio: 'pipe',
    },
  )
  rmdirSync(gone)
  let err = ''
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  child.stdin.end('go\n')
  const [code] = await once(child, 'close')
  expect(err).toMatch(/^the working directory no longer exists.*\nWhat to do: go to a folder that exists/m)
  expect(code).toBe(2)
})

test('a state that is open is not locked', async () => {
  const { state, run, list } = project()
  await run()
  const db = new DatabaseSync(join(state, 'runs.db'))
  onTestFinished(() => db.close())
  db.prepare('SELECT count(*) FROM runs').get()
  expect((await list()).code).toBe(0)
  expect((await run()).code).toBe(0)
})
