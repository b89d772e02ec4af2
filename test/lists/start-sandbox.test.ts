import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSandbox } from '../../src/lists/start-sandbox.ts'
import { knowsProcesses } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LIMITS = { memoryBytes: 300e6, timeoutMs: 60_000, fileBytes: 1e6, sparedMs: 0 }

/** Starts a process with another program instead of DuckDB's. */
function startProgram(program: string, limits = LIMITS) {
  const file = join(tempFolder(), 'program.js')
  writeFileSync(file, program)
  vi.stubEnv('BUILT_SANDBOX', file)
  const child = startSandbox(limits)
  vi.unstubAllEnvs()
  const ask = () => child.ask({} as Parameters<typeof child.ask>[0])
  return { child, ask, failure: () => ask().catch((error: unknown) => error) }
}

const OUT_OF_MEMORY = `process.stderr.write('FATAL ERROR: JavaScript heap out of memory', end)`

test.each([
  ['says why V8 gave up', OUT_OF_MEMORY, 'list-memory'],
  [
    'says so after something else',
    `process.stderr.write('ann@x.test', () => setTimeout(() => ${OUT_OF_MEMORY}, 50))`,
    'list-memory',
  ],
  ['says something else', `process.stderr.write('ann@x.test', end)`, 'list-process'],
  ['says nothing', 'end()', 'list-process'],
])('a process that %s and ends before its answer, and one that has ended', async (_what, work, code) => {
  const { child, failure } = startProgram(
    `const end = () => process.exit(1)\nprocess.once('message', () => { ${work} })\n`,
  )
  const expected = { code, message: expect.not.stringContaining('ann@x.test') }
  expect(await failure()).toMatchObject(expected)
  await child.end()
  expect(await failure()).toMatchObject(expected)
})

const READS = (file: string) =>
  `process.once('message', ({ id }) => process.send({ id, value: require('node:fs').readFileSync('/proc/self/${file}', 'utf8') }))`

test.runIf(knowsProcesses)(
  'the system limits the memory, the time, the files and the picture of a process',
  async () => {
    const { child, ask } = startProgram(READS('limits'), { ...LIMITS, sparedMs: 1_000 })
    onTestFinished(() => child.end())
    const said = String(await ask())
    const limits = ['data size', 'cpu time', 'file size', 'core file size'].map(
      (what) => new RegExp(`^Max ${what}\\s+(\\S+)`, 'm').exec(said)?.[1],
    )
    // Each is a whole number of blocks. Node itself reserves half a gigabyte; two threads work for 61 s.
    const data = Math.ceil((300e6 + 2 ** 29) / 1024) * 1024
    expect(limits).toEqual([data, 122, Math.ceil(1e6 / 512) * 512, 0].map(String))
  },
)

test.runIf(knowsProcesses)(
  'a process is in a group of its own, so that signals for the group of this one leave it',
  async () => {
    const { child, ask } = startProgram(READS('stat'))
    onTestFinished(() => child.end())
    const said = String(await ask())
    const [, , group] = said.slice(said.lastIndexOf(')') + 2).split(' ')
    expect(group).toBe(said.split(' ')[0])
  },
)

test.runIf(knowsProcesses)('a process finds the libraries of Node where this one does', async () => {
  const folders = [process.env.LD_LIBRARY_PATH, '/nowhere'].filter(Boolean).join(':')
  vi.stubEnv('LD_LIBRARY_PATH', folders)
  const { child, ask } = startProgram(READS('environ'))
  onTestFinished(() => child.end())
  expect(String(await ask()).split('\0')).toContain(`LD_LIBRARY_PATH=${folders}`)
})

test('an idle process delays the end of this one only while it is being ended', async () => {
  const waitedFor = () => process.getActiveResourcesInfo().filter((what) => what === 'ProcessWrap').length
  const before = waitedFor()
  // Nothing else can end in between, because nothing is awaited before the last line.
  const { child } = startProgram(`process.on('message', () => undefined)`)
  expect(waitedFor()).toBe(before + 1)
  child.rest()
  expect(waitedFor()).toBe(before)
  const ended = child.end()
  expect(waitedFor()).toBe(before + 1)
  await ended
})
