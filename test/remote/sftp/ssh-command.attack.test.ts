import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { sshEnvironment } from '../../../src/remote/sftp/ssh-command.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test.each([
  ['beside absolute folders', `.::${process.env.PATH}`],
  ['alone', '.'],
  ['by being empty', ''],
])('a program called ssh in the working directory, which PATH names %s, never runs', (_case, path) => {
  const folder = tempFolder()
  const trace = join(folder, 'trace')
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n: > ${trace}\n`)
  chmodSync(join(folder, 'ssh'), 0o755)
  vi.stubEnv('PATH', path)
  const env = sshEnvironment()
  vi.unstubAllEnvs()
  execFileSync('ssh', ['-V'], { cwd: folder, env, stdio: 'ignore' })
  expect(existsSync(trace)).toBe(false)
})
