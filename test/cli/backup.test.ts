import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openState } from '../../src/state/sqlite/open-state.ts'
import { eventsOf, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { startService } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a run that was under way in the copy goes on from there, and nothing is done twice', async () => {
  const service = await startService(tempFolder())
  const folder = tempFolder()
  const access = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token }
  const options = { env: { ...access, AUDIENCE_STATE: folder } }
  const child = startAudience(['run', 'pipelines/quickstart.yaml', '--json'], options)
  const text = await untilOutput(child, /job\.status/)
  const runId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  // The process stops here, because the copy cannot contain what the process does afterwards.
  child.kill('SIGSTOP')

  const copy = join(tempFolder(), 'copy.db')
  const copied = await commandLine(['backup', copy], options)
  expect(copied).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^copied 1 run \([\d.]+ [kM]?B\) to .*copy\.db\n$/),
  })
  child.kill('SIGKILL')
  await child.ended

  const restored = { env: { ...access, AUDIENCE_STATE: tempFolder() } }
  copyFileSync(copy, join(restored.env.AUDIENCE_STATE, 'runs.db'))
  const resumed = await commandLine(['runs', 'resume', runId, '--json'], restored)
  expect(resumed.code, resumed.err).toBe(0)
  expect(eventsOf(resumed.out).at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
  expect(eventsOf((await commandLine(['api', 'segments.list', '--all'], restored)).out)).toHaveLength(1)
})

test('a copy that is there already is not written over', async () => {
  const options = { env: { AUDIENCE_STATE: tempFolder() } }
  const copy = join(tempFolder(), 'copy.db')
  expect(await commandLine(['backup', copy], options)).toMatchObject({
    code: 2,
    err: expect.stringContaining('no state'),
  })
  openState(options.env.AUDIENCE_STATE).close()
  expect(await commandLine(['backup', copy], options)).toMatchObject({
    code: 0,
    out: expect.stringContaining('0 runs'),
  })
  expect(await commandLine(['backup', copy], options)).toMatchObject({
    code: 2,
    err: expect.stringContaining('already'),
  })
})

test('the command that copies a PostgreSQL writes over nothing, leaves no part of a copy, and has no password', async () => {
  const [folder, programs] = [tempFolder(), tempFolder()]
  const env = { AUDIENCE_STATE: 'postgres://audience:never-shown-9@db.example.com/audience?sslmode=require' }
  const { out } = await commandLine(['backup', join(folder, "it's $HOME.dump")], { env })
  expect(out).not.toContain('never-shown-9')
  const dumpWith = (exitCode: number) => {
    const text = `#!/bin/sh\nfor arg; do case $arg in --file=*) echo copy > "\${arg#--file=}";; *) url=$arg;; esac; done\necho "$url"; exit ${exitCode}\n`
    writeFileSync(join(programs, 'pg_dump'), text, { mode: 0o755 })
    return spawnSync('sh', { input: out, env: { PATH: `${programs}:${process.env.PATH}` }, encoding: 'utf8' })
  }
  expect(dumpWith(1).status).toBe(1)
  expect(readdirSync(folder)).toEqual([])
  expect(dumpWith(0)).toMatchObject({
    ...{ status: 0, stdout: 'postgres://audience@db.example.com/audience?sslmode=require\n', stderr: '' },
  })
  expect(readdirSync(folder)).toEqual(["it's $HOME.dump"])
  const copy = join(folder, "it's $HOME.dump")
  writeFileSync(copy, 'earlier')
  expect(dumpWith(0)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('already exists') })
  expect(readFileSync(copy, 'utf8')).toBe('earlier')
  expect(existsSync(`${copy}.part`)).toBe(false)
})
