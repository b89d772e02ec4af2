import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startSandbox } from '../../src/lists/start-sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LIMITS = { memoryBytes: 300e6, timeoutMs: 60_000, fileBytes: 1e6, sparedMs: 0 }

test.each([
  ['says why V8 gave up', `process.stderr.write('FATAL ERROR: JavaScript heap out of memory', end)`, 'list-memory'],
  ['says something else', `process.stderr.write('ann@x.test', end)`, 'list-process'],
  ['says nothing', 'end()', 'list-process'],
])('a process that %s and ends before its answer', async (_what, work, code) => {
  const program = join(tempFolder(), 'program.js')
  writeFileSync(program, `const end = () => process.exit(1)\nprocess.once('message', () => { ${work} })\n`)
  vi.stubEnv('BUILT_SANDBOX', program)
  const child = startSandbox(LIMITS)
  vi.unstubAllEnvs()
  const failure: unknown = await child.ask({} as Parameters<typeof child.ask>[0]).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code, message: expect.not.stringContaining('ann@x.test') })
  await child.end()
})
