import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Audience, eventsOf, type ReadyService, spawnAudience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill } from '../support/daemon.ts'
import { hostService } from '../support/host-service.ts'
import { isLong } from '../support/is-long.ts'
import { namesBelow } from '../support/names-below.ts'
import { mountSmallDisk } from '../support/soak/small-disk.ts'

/*
 * The real command is killed while it prepares and uploads a list, or its disk is full. In both cases, it never sends
 * half a list and leaves no file.
 */

const ROWS = 60_000
const KEYS = Array.from({ length: ROWS }, (_, index) => `person${String(index).padStart(6, '0')}@example.com`)
const LIST = `email\n${KEYS.join('\n')}\n`
const SHA256 = createHash('sha256').update(LIST).digest('hex')

const DOCUMENT = `version: 1
name: lists
steps:
  - id: list
    uses: files.prepare
    with: { from: { source: slow }, column: email, signal: EMAIL }
  - id: upload
    uses: files.upload
    with: { file: "\${{ steps.list.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
`

let base: string
let service: ReadyService
let stopService: () => Promise<void>
let folder: string

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'audience-prepare-'))
  const started = await hostService(join(base, 'service'))
  service = started.service
  stopService = started.stop
})
afterAll(async () => {
  await stopService()
  rmSync(base, { recursive: true, force: true })
})

beforeEach(() => {
  folder = mkdtempSync(join(base, 'project-'))
  writeFileSync(document(), DOCUMENT)
  // The rows in a new order each time, in two halves.
  writeFileSync(
    join(folder, 'rows.mjs'),
    `import { appendFileSync } from 'node:fs'
const first = Math.floor(Math.random() * ${ROWS})
const keys = Array.from({ length: ${ROWS} }, (_, index) =>
  'PERSON' + String((first + index * 7919) % ${ROWS}).padStart(6, '0') + '@EXAMPLE.COM')
appendFileSync(process.argv[2], 'email\\n' + keys.slice(0, ${ROWS / 2}).join('\\n') + '\\n')
await new Promise((resolve) => setTimeout(resolve, 100))
appendFileSync(process.argv[2], keys.slice(${ROWS / 2}).join('\\n') + '\\n')
`,
  )
  const command = JSON.stringify([process.execPath, join(folder, 'rows.mjs'), '{out}'])
  writeFileSync(join(folder, 'audience.yaml'), `sources: { slow: { command: ${command} } }\n`)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const state = () => join(folder, 'state')
const document = () => join(folder, 'lists.yaml')
const lists = () => join(state(), 'lists')

const world = () => {
  const env = { AUDIENCE_STATE: state(), AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token }
  return { env, cwd: folder }
}

/** A process to kill. */
const start = (...args: string[]): Audience => spawnAudience(args, world())

/** A run that is not killed continues in this process. */
const ended = (...args: string[]) => commandLine(args, world())

interface ShownRun {
  readonly status: string
  readonly steps: readonly { readonly step: string; readonly outputs: unknown }[]
}

async function shown(runId: string): Promise<ShownRun> {
  return JSON.parse((await ended('runs', 'show', runId, '--json')).out) as ShownRun
}

/** Everything in the folder of the lists. */
const left = () => namesBelow(lists())

/** The stages of a list, as its folder and the events show them. */
const STAGES = [
  ['the command has begun', () => left().some((name) => name.endsWith('/rows'))],
  ['the file is begun', () => left().some((name) => name.endsWith('.part'))],
  ['the file is whole', () => left().some((name) => name.endsWith('.csv'))],
  ['the step is recorded', (child) => /"step.finished".*"step":"list"/.test(child.written())],
  ['the upload has begun', (child) => /"step.started".*"step":"upload"/.test(child.written())],
] as const satisfies readonly (readonly [string, (child: Audience) => boolean])[]

type Stage = (typeof STAGES)[number]

/** Kills a process in a stage. Returns its output, and whether it reached the stage before it ended. */
async function killIn(
  [, isReached]: Stage,
  child: Audience,
): Promise<{ readonly out: string; readonly isHit: boolean }> {
  const isAlive = () => child.exitCode === null && child.signalCode === null
  while (isAlive() && !isReached(child)) await sleep(1)
  const isHit = isAlive()
  const { out } = await kill(child)
  return { out, isHit }
}

/**
 * A run that was killed in these stages, one after the other, before its end. A busy machine can miss a short stage:
 * then another run is tried, until the test times out.
 */
async function runKilledIn(...[first, ...others]: readonly [Stage, ...Stage[]]): Promise<string> {
  for (;;) {
    const { out, isHit } = await killIn(first, start('run', document(), '--json'))
    const runId = String(eventsOf(out)[0]?.runId)
    let isHitInAll = isHit
    for (const stage of others) isHitInAll &&= (await killIn(stage, start('runs', 'resume', runId, '--json'))).isHit
    if (isHitInAll && (await shown(runId)).status === 'running') return runId
  }
}

/** Checks that the upload describes the only list that may be sent, and that no file is left when the run has ended. */
async function endWell(runId: string): Promise<void> {
  const { steps } = await shown(runId)
  const outputs = (step: string) => steps.find((each) => each.step === step)?.outputs
  expect(outputs('list')).toMatchObject({ rows: ROWS, keys: ROWS, sha256: SHA256, bytes: LIST.length })
  expect(outputs('upload')).toMatchObject({ rows: ROWS, sha256: SHA256, name: `lists-${SHA256.slice(0, 16)}.csv` })
  expect(left()).toEqual([])
}

interface Story {
  readonly name: string
  readonly stages: readonly [Stage, ...Stage[]]
}

/** In the short form, every process except the last continues to the next stage and is killed there. */
const ALL: Story = { name: 'in every stage, one after the other', stages: STAGES }
const EACH: readonly Story[] = STAGES.map((stage) => ({ name: `when ${stage[0]}`, stages: [stage] }))

test.for(isLong ? [ALL, ...EACH] : [ALL])(
  'killed $name, a resumed run uploads the whole list, and leaves nothing',
  async ({ stages }) => {
    const runId = await runKilledIn(...stages)
    await ended('runs', 'resume', runId, '--json')
    await endWell(runId)
  },
)

test('what a killed run left is removed with the run, also if that is cancelled', async () => {
  const runId = await runKilledIn(STAGES[2])
  expect(left()).not.toEqual([])
  // Another process may take the run only when the lease of the killed one has ended.
  await expect.poll(async () => (await ended('runs', 'cancel', runId)).code).toBe(0)
  await ended('plan', document())
  expect(left()).toEqual([])
})

test('a list that is gone is made again for the upload and compared: other rows are an error', async () => {
  const first = await ended('run', document(), '--json')
  const { runId } = eventsOf(first.out)[0] as { runId: string }
  const rows = readFileSync(join(folder, 'rows.mjs'), 'utf8')
  expect(left()).toEqual([])
  // The rerun keeps the list, although its file was removed with its run.
  const same = await ended('runs', 'retry', runId, '--from', 'upload', '--json')
  expect(same.out).toContain(`"name":"lists-${SHA256.slice(0, 16)}.csv"`)
  writeFileSync(join(folder, 'rows.mjs'), rows.replace("'PERSON'", "'SOMEBODY'"))
  const other = await ended('runs', 'retry', runId, '--from', 'upload', '--json')
  expect(other.code).toBe(1)
  expect(other.out).toContain('"code":"list-changed"')
  expect(other.out + other.err).not.toMatch(/somebody/i)
})

test('a full disk is an error, nothing is sent, and what was begun is gone', async (context) => {
  mkdirSync(state(), { recursive: true })
  const disk = mountSmallDisk(lists(), 2)
  if (!disk) {
    console.warn('This user may not mount a file system: the test of a full disk is left out.')
    return context.skip('this user may not mount')
  }
  try {
    const { code, out } = await ended('run', document(), '--json')
    expect(code, out).toBe(1)
    expect(out).toContain('"code":"list-disk-full"')
    expect(out).not.toMatch(/"step.started".*"step":"upload"/)
    expect(left()).toEqual([])
  } finally {
    disk.remove()
  }
})
