import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from './support/temp-folder.ts'

test('a process of tests that never gives its thread back is ended', () => {
  const workers = join(tempFolder(), 'workers')
  mkdirSync(workers)
  const script = join(workers, 'forks.js')
  writeFileSync(script, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)')

  const ended = spawnSync(process.execPath, ['--import', join(import.meta.dirname, 'support/end-stuck.ts'), script], {
    env: { ...process.env, STUCK_AFTER_SECONDS: '1', SOAK_DISTURBANCES: undefined },
    encoding: 'utf8',
  })

  expect(ended).toMatchObject({
    signal: 'SIGKILL',
    stderr: expect.stringContaining('blocked its thread for 1 seconds'),
  })
})
