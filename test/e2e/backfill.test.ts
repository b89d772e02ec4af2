import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

const document = (name: string, check: string) => `version: 1
name: ${name}
inputs: { file: { type: file } }
triggers:
  - id: night
    schedule: { cron: "0 2 * * *", timezone: UTC, overlap: queue, missed: none }
    inputs: { file: "../lists/\${{ trigger.at.substring(0, 10) }}.csv" }
concurrency: { group: ${name}, limit: 1, onConflict: queue }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
${check}
outputs:
  after: \${{ string(default(last.steps.upload.outputs.rows, 0)) }}
`

const EXPECTED = `    expect:
      - check: \${{ !has(last.outputs) || outputs.rows * 2 >= last.outputs.rows }}
        message: \${{ outputs.rows }} rows, after \${{ last.outputs.rows }}`
const GUARDED = `    guard: { of: "\${{ outputs.rows }}", learn: { runs: 30, warmUp: 3 }, onBreach: fail }`

/** The number of rows on each of seven nights: on the fourth, more than half are lost. */
const ROWS = [86, 84, 82, 16, 80, 79, 78]

/** Backfills the nights of each of these documents, and describes the runs of each. */
async function backfilled(documents: Readonly<Record<string, string>>) {
  const project = projectIn(tempFolder())
  for (const folder of ['pipelines', 'lists']) mkdirSync(join(project.folder, folder))
  const names = Object.keys(documents)
  for (const name of names)
    writeFileSync(join(project.folder, `pipelines/${name}.yaml`), document(name, documents[name] ?? ''))
  for (const [night, rows] of ROWS.entries()) {
    const people = Array.from({ length: rows }, (_, row) => `p${row}@example.com\n`)
    writeFileSync(join(project.folder, `lists/2026-01-0${night + 1}.csv`), people.join(''))
  }
  const daemon = spawnDaemon(project.options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  for (const name of names) {
    const command = ['schedule', 'backfill', `${name}/night`, '--from', '2026-01-01', '--to', '2026-01-08']
    expect(await commandLine(command, project.options)).toMatchObject({ code: 0 })
  }
  const ended = () => stateRows(project, 'SELECT 1 FROM runs WHERE finished_at IS NOT NULL').length
  await until(() => ended() === names.length * ROWS.length)

  const describe = async (name: string) => {
    const slots = stateRows(project, 'SELECT run_id FROM occurrences WHERE pipeline = ? ORDER BY at', name)
    const nights = slots.map(({ run_id }) => String(run_id))
    const shown = nights.map((runId) => commandLine(['runs', 'show', runId, '--json'], project.options))
    return { nights, described: (await Promise.all(shown)).map(({ out }) => JSON.parse(out) as object) }
  }
  return describe
}

test('of seven backfilled nights each is compared with the good night before it, or judged by the good nights before it', async () => {
  const describe = await backfilled({ expected: EXPECTED, guarded: GUARDED })
  // A list that lost more than half of its rows is stopped.
  const expected = await describe('expected')
  const { nights } = expected
  expect(expected.described).toMatchObject([
    { status: 'succeeded', outputs: { after: '0' } },
    { status: 'succeeded', outputs: { after: '86' } },
    { status: 'succeeded', outputs: { after: '84' }, lastRun: nights[1] },
    { status: 'failed', error: { message: expect.stringContaining('16 rows, after 82') }, lastRun: nights[2] },
    { status: 'succeeded', outputs: { after: '82' }, lastRun: nights[2] },
    { status: 'succeeded', outputs: { after: '80' } },
    { status: 'succeeded', outputs: { after: '79' } },
  ])

  const guarded = await describe('guarded')
  const by = (...places: readonly number[]) => ({ learnedFrom: places.map((place) => guarded.nights[place]) })
  const judged = (value: number, verdict: string, own: object) => ({ steps: [{ guard: { value, verdict, ...own } }] })
  expect(guarded.described).toMatchObject([
    { status: 'succeeded', ...judged(86, 'good', {}) },
    { status: 'succeeded', ...judged(84, 'good', by(0)) },
    { status: 'succeeded', ...judged(82, 'good', by(1, 0)) },
    {
      ...{
        status: 'failed',
        error: { code: 'guard-breached', message: expect.stringContaining('16 is outside 67.2 to 100.8') },
      },
      ...judged(16, 'failed', { ...by(2, 1, 0), band: { median: 84 } }),
    },
    { status: 'succeeded', ...judged(80, 'good', by(2, 1, 0)) },
    { status: 'succeeded', ...judged(79, 'good', by(4, 2, 1, 0)) },
    { status: 'succeeded', ...judged(78, 'good', by(5, 4, 2, 1, 0)) },
  ])
})
