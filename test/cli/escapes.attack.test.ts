import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { around } from '../support/around.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Clears the screen, sets the title, hides a line end, starts a new line, and reverses the text. */
const EVIL = '\u001b[2J\u001b]0;pwned\u0007\u009b31m\r::error::pwned\n::error::pwned\u202e\u0000'
// biome-ignore lint/suspicious/noControlCharactersInRegex: this test is about these characters
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|^::error::pwned/m

test('control characters of names, inputs, answers and outputs are shown escaped everywhere, and JSON stays JSON', async () => {
  const server = await scriptedServer(({ url }) =>
    url.includes('/hook')
      ? { status: 400, body: EVIL }
      : { status: 400, json: { detail: EVIL }, headers: { 'x-request-id': 'a\u009bb' } },
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  const cwd = tempFolder()
  const file = join(cwd, 'p\u001b[2J\u202e\n::error::pwned.yaml')
  writeFileSync(
    file,
    `version: 1
name: p
inputs: { note: { type: string } }
steps:
  - { id: list, uses: segments.list, continueOnError: true }
  - { id: hook, uses: notify.webhook, with: { url: "${server.origin}/hook", text: x }, continueOnError: true }
outputs: { note: "\${{ inputs.note }}" }
`,
  )
  const env = { AUDIENCE_BASE_URL: server.url, AUDIENCE_TOKEN: 'a-token-of-ours', AUDIENCE_STATE: join(cwd, 'state') }
  const run = ['run', file, '-i', `note=${EVIL}`]
  const lines = await commandLine(run, { cwd, env })
  expect(lines.err).toBe('')
  expect(lines.out).toContain('p\\x1b[2J\\u202e\\n::error::pwned.yaml)')
  expect(lines.out).toContain('note: \\x1b[2J\\x1b]0;pwned\\x07\\x9b31m\\r::error::pwned\\n::error::pwned\\u202e\\x00')
  const json = await commandLine([...run, '--json'], { cwd, env })
  const events = json.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.at(-1).outputs.note).toBe(EVIL)
  const list = await commandLine(['runs', 'list'], { cwd, env })
  const listJson = await commandLine(['runs', 'list', '--json'], { cwd, env })
  const [first] = listJson.out.split('\n').map((line) => line && JSON.parse(line))
  expect(first.pipeline).toBe('p')
  const show = await commandLine(['runs', 'show', first.runId], { cwd, env })
  const status = await commandLine(['status'], { cwd, env })
  const texts = [lines, json, list, listJson, show, status].map(({ out, err }) => out + err)
  for (const text of texts) expect(text).not.toMatch(RAW)

  // Only the live view itself moves the cursor; no text of the run does.
  const live = await commandLine(run, { cwd, env, isTTY: true })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this test is about these characters
  expect(live.out).not.toMatch(/\u001b\[2J|\u001b\]0;|\u009b|\u202e/)
})

test('what schedules and backfills print is one line each, whatever the folder, the files and the reasons are called', async () => {
  const cwd = tempFolder()
  const folder = `p\u001b[2J\u009b\u202e`
  mkdirSync(join(cwd, folder))
  writeFileSync(join(cwd, 'audience.yaml'), `pipelines: ${JSON.stringify(folder)}`)
  const env = { AUDIENCE_STATE: join(cwd, 'state') }
  const ask = (...args: string[]) => commandLine(['schedule', ...args], { cwd, env })
  const found = [await ask('list'), await ask('next'), await ask('next', 'none')]
  expect(found[0]?.out).toContain('p\\x1b[2J\\x9b\\u202e')
  const steps = 'steps: [{ id: list, uses: groups.list }]'
  const schedule = '[{ id: nightly, schedule: { cron: "0 2 * * *" } }]'
  writeFileSync(join(cwd, folder, 'p.yaml'), `version: 1\nname: p\ntriggers: ${schedule}\n${steps}\n`)
  writeFileSync(join(cwd, folder, `bad\u001b[2J.yaml`), `${JSON.stringify(`key${EVIL}`)}: 1`)
  const state = openEmbeddedState({ folder: env.AUDIENCE_STATE, redact: (text) => text, ...around })
  await state.occurrences.note(
    { pipeline: 'p', trigger: 'nightly' },
    { occurrences: [{ key: '2026-01-01T02:00:00.000Z', at: Date.UTC(2026, 0, 1, 2), state: 'failed', reason: EVIL }] },
  )
  state.journal.close()
  const backfill = await ask('backfill', 'p', '--from', '2026-01-02', '--to', '2026-01-04')
  expect(backfill).toMatchObject({ code: 0, out: expect.stringContaining('2 slots are due now') })
  const json = await ask('list', '--json')
  expect(JSON.parse(json.out).file).toBe(join(cwd, folder, 'p.yaml'))
  const bad = await ask('backfill', 'p', '--from', EVIL, '--to', '2026-01-04')
  found.push(backfill, json, bad, await ask('list'), await ask('list', 'p'), await ask('list', 'p', '--json'))
  found.push(await ask('next'), await ask('next', '--json'), await ask('pause', 'p'), await ask('resume', 'p'))
  for (const { out, err } of found) expect(out + err).not.toMatch(RAW)
})

test('annotations and JSON of validate are one line each, whatever a document says', async () => {
  const cwd = tempFolder()
  const file = join(cwd, 'p\u001b[2J,x:y%0A.yaml')
  writeFileSync(
    file,
    `version: 1\nname: p\n${JSON.stringify(`key${EVIL}`)}: 1\nsteps:\n  - { id: list, uses: groups.list }\n`,
  )
  for (const format of ['text', 'github', 'json']) {
    const { out, code } = await commandLine(['validate', '--format', format, file], { cwd })
    expect(code).toBe(3)
    expect(out).not.toMatch(RAW)
    if (format === 'github')
      expect(out).toMatch(/^::error file=[^,:]*p\\x1b\[2J%2Cx%3Ay%250A\.yaml,line=3,col=1,[^\n]*\n$/)
    if (format === 'json') expect(JSON.parse(out)).toMatchObject({ file, line: 3 })
  }
})

test('what commands say of their own arguments is one line each', async () => {
  const cwd = tempFolder()
  const odd = 'p\u001b[2J\u202e\n::error::pwned'
  const env = { AUDIENCE_STATE: join(cwd, 'state') }
  openEmbeddedState({ folder: env.AUDIENCE_STATE, redact: (text) => text, ...around }).journal.close()
  for (const args of [
    [odd],
    ['runs', odd],
    ['run', `--${odd}`],
    ['plan', '--format', odd],
    ['start', `--port=${odd}`],
    ['completion', odd],
    ['console', odd],
    ['init', odd],
    ['backup', odd, '--with-membership'],
  ]) {
    const { out, err } = await commandLine(args, { cwd, env })
    expect(out + err, args[0]).toContain('p\\x1b[2J\\u202e\\n::error::pwned')
    expect(out + err, args[0]).not.toMatch(RAW)
  }
  // A suggestion stays on its own line.
  expect((await commandLine(['rum'], { cwd, env })).err).toContain("'rum'\n(Did you mean run?)\n")
})
