import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

const nightly = (check: string) => `version: 1
name: nightly
inputs: { file: { type: file } }
triggers:
  - id: night
    schedule: { cron: "0 2 * * *", timezone: UTC, overlap: queue, missed: none }
    inputs: { file: "../lists/\${{ trigger.at.substring(0, 10) }}.csv" }
concurrency: { group: nightly, limit: 1, onConflict: queue }
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

/** The rows of the lists of seven nights: the fourth has lost more than half. */
const ROWS = [86, 84, 82, 16, 80, 79, 78]

/** Backfills the nights with a document, and describes their runs. */
async function backfilled(document: string): Promise<{ nights: readonly string[]; described: readonly object[] }> {
  const project = projectIn(tempFolder())
  for (const folder of ['pipelines', 'lists']) mkdirSync(join(project.folder, folder))
  writeFileSync(join(project.folder, 'pipelines/nightly.yaml'), document)
  for (const [night, rows] of ROWS.entries()) {
    const people = Array.from({ length: rows }, (_, row) => `p${row}@example.com\n`)
    writeFileSync(join(project.folder, `lists/2026-01-0${night + 1}.csv`), people.join(''))
  }
  const daemon = spawnDaemon(project.options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  const command = ['schedule', 'backfill', 'nightly/night', '--from', '2026-01-01', '--to', '2026-01-08']
  expect(await commandLine(command, project.options)).toMatchObject({ code: 0 })
  const ended = () =>
    stateRows(project, 'SELECT run_id, status FROM runs WHERE finished_at IS NOT NULL ORDER BY run_id')
  await until(() => ended().length === ROWS.length)

  const nights = stateRows(project, 'SELECT run_id FROM occurrences ORDER BY at').map(({ run_id }) => String(run_id))
  const described = await Promise.all(
    nights.map(async (runId) => {
      const { out } = await commandLine(['runs', 'show', runId, '--json'], project.options)
      return JSON.parse(out) as object
    }),
  )
  return { nights, described }
}

test('of seven backfilled nights each is compared with the good night before it: a list that lost half is stopped', async () => {
  const { nights, described } = await backfilled(nightly(EXPECTED))
  expect(described).toMatchObject([
    { status: 'succeeded', outputs: { after: '0' } },
    { status: 'succeeded', outputs: { after: '86' } },
    { status: 'succeeded', outputs: { after: '84' }, lastRun: nights[1] },
    { status: 'failed', error: { message: expect.stringContaining('16 rows, after 82') }, lastRun: nights[2] },
    { status: 'succeeded', outputs: { after: '82' }, lastRun: nights[2] },
    { status: 'succeeded', outputs: { after: '80' } },
    { status: 'succeeded', outputs: { after: '79' } },
  ])
})

test('a guard judges each of seven backfilled nights by the good nights before it', async () => {
  const { nights, described } = await backfilled(nightly(GUARDED))
  const by = (...places: readonly number[]) => ({ learnedFrom: places.map((place) => nights[place]) })
  const judged = (value: number, verdict: string, own: object) => ({ steps: [{ guard: { value, verdict, ...own } }] })
  expect(described).toMatchObject([
    { status: 'succeeded', ...judged(86, 'good', {}) },
    { status: 'succeeded', ...judged(84, 'good', by(0)) },
    { status: 'succeeded', ...judged(82, 'good', by(1, 0)) },
    {
      ...{
        status: 'failed',
        error: { code: 'guard-breached', message: expect.stringContaining('16 is outside of 67.2 to 100.8') },
      },
      ...judged(16, 'failed', { ...by(2, 1, 0), band: { median: 84 } }),
    },
    { status: 'succeeded', ...judged(80, 'good', by(2, 1, 0)) },
    { status: 'succeeded', ...judged(79, 'good', by(4, 2, 1, 0)) },
    { status: 'succeeded', ...judged(78, 'good', by(5, 4, 2, 1, 0)) },
  ])
})
