import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawnAudience } from '../support/audience.ts'
import { startService } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Prints, when the process ends, whether the library of DuckDB was loaded into it. */
const WATCH = `process.on('exit', () => {
  const loaded = process.report.getReport().sharedObjects.some((name) => /duckdb/.test(name))
  process.stderr.write(loaded ? 'DUCKDB LOADED' : 'DUCKDB NOT LOADED')
})`

const document = (steps: string) => `version: 1\nname: lazy\nsteps:\n${steps}`
const UPLOAD =
  '  - id: upload\n    uses: files.upload\n    with: { file: people.csv, uploadSignal: EMAIL, resultContent: BGID }\n'
const PREPARE =
  '  - id: list\n    uses: files.prepare\n    with: { from: { file: people.csv }, column: email, signal: EMAIL }\n'

test('no command loads DuckDB: what prepares a list starts a process for it', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'watch.mjs'), WATCH)
  writeFileSync(join(folder, 'pipelines/people.csv'), 'email\nann@example.com\n')
  writeFileSync(join(folder, 'pipelines/upload.yaml'), document(UPLOAD))
  writeFileSync(join(folder, 'pipelines/prepare.yaml'), document(PREPARE))
  const service = await startService(join(folder, 'service'))
  const env = {
    AUDIENCE_STATE: join(folder, 'state'),
    AUDIENCE_BASE_URL: service.url,
    AUDIENCE_TOKEN: service.token,
  }
  const loads = async (...args: string[]) => {
    const nodeArgs = ['--import', join(folder, 'watch.mjs')]
    const { code, err } = await spawnAudience(args, { env, cwd: folder, nodeArgs }).ended
    expect(code, err).toBe(0)
    return !err.includes('DUCKDB NOT LOADED')
  }
  expect(await loads('--version')).toBe(false)
  expect(await loads('validate', 'pipelines/prepare.yaml')).toBe(false)
  expect(await loads('run', 'pipelines/upload.yaml')).toBe(false)
  expect(await loads('plan', 'pipelines/upload.yaml')).toBe(false)
  expect(await loads('run', 'pipelines/prepare.yaml')).toBe(false)
  expect(await loads('runs', 'list')).toBe(false)
})
