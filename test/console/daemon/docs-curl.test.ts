import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../support/audience.ts'
import { until } from '../../support/daemon.ts'
import { givePeople } from '../../support/people.ts'
import { untilStatus } from '../browser/support/until-status.ts'
import { PARTNER_DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, startConsoleBench, TOKENS } from '../support/console-bench.ts'

const shipped = (name: string) => readFileSync(join(root, 'pipelines', name), 'utf8')

/** The run of the guide: a forEach, a release that waits, and something to cancel after it. */
const DAY = `version: 1
name: day
steps:
  - id: audience
    forEach: { items: [1, 2, 3, 4], as: n }
    steps:
      - { id: list, uses: groups.list }
  - { id: release, uses: approval.wait, with: { message: May it go? } }
  - { id: last, uses: approval.wait, with: { message: And now? } }
`

const DOCUMENTS = {
  'day.yaml': DAY,
  'quickstart.yaml': shipped('quickstart.yaml').replace('data/auto-intenders.csv', 'people.csv'),
  // The check before a run is there so that a file can fail without a run.
  'nightly.yaml': shipped('nightly.yaml').replace('failed: inbox/failed', '$&, precheck: { maxBytes: 1000 }'),
  ...PARTNER_DOCUMENTS,
}

/** What this test does not run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'curl -s -X POST -H "$T" -H "$J" $A/runs/$RUN/acknowledge': 'that run has not failed; api-suite.ts has what it says',
  'curl -s -H "$T" $A/deployment ': 'its pipelines are in a folder; browser/deployment.test.ts has what these say',
  'curl -s -H "$T" "$A/deployment/': 'the same',
  'curl -s -X POST -H "$T" -H "$J" $A/deployment/rollback': 'the same',
  'curl -s -X POST -H "$T" -H "$J" $A/deployment/pause': 'the same',
  'curl -s -X POST -H "$T" -H "$J" $A/deployment/resume': 'the same',
  'curl -s -X POST -H "$T" -H "$J" $A/deployment/look': 'the same',
  'curl -sN -H "$T" $A/events': 'it does not end; events.test.ts has what it says',
  'curl -s -X POST -H "$T" -H "$J" $A/workers/web1:4711/drain': 'it needs two workers; api-suite.ts has what it says',
  'curl -s -X POST -H "$T" -H "$J" $A/workers/web1:4711/undrain': 'the same',
}

/** The lines of the guide that set a variable or call curl. A command on several lines becomes one. */
const LINES = [...readFileSync(join(root, 'docs/api.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
  .filter((line) => /^(curl|[A-Z]+=)/.test(line))
const CALLS = LINES.flatMap((line, at) => (line.startsWith('curl') ? [{ line, before: LINES.slice(0, at) }] : []))
const isRun = ({ line }: { readonly line: string }) => !Object.keys(NOT_RUN).some((start) => line.startsWith(start))

let bench: ConsoleBench
const folder = mkdtempSync(join(tmpdir(), 'audience-guide-'))
/** The real ids for the placeholders in the guide. */
const ids = { run: '', other: '', job: '', key: '' }

beforeAll(async () => {
  await givePeople(join(folder, 'state'))
  // An error answer makes the command fail, too.
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n')
  writeFileSync(join(folder, 'today.csv'), 'a@example.com\n')
  mkdirSync(join(folder, 'pipelines/inbox/auto'), { recursive: true })
  writeFileSync(join(folder, 'pipelines/inbox/auto/large.csv'), 'a@example.com\n'.repeat(100))
  bench = await startConsoleBench(DOCUMENTS, { folder })
  const start = async (pipeline: string) => String((await bench.post('operator', 'runs', { pipeline })).body.runId)
  ids.other = await start('day')
  ids.run = await start('day')
  await start('partner')
  await until(async () => {
    const { jobs } = (await bench.as('viewer', 'service/jobs?status=PENDING_APPROVAL')).body
    const { files } = (await bench.as('viewer', 'files')).body
    ids.job = String((jobs as { id: unknown }[])[0]?.id ?? '')
    ids.key = (files as { key: string; canRetry: boolean }[]).find(({ canRetry }) => canRetry)?.key ?? ''
    return ids.job !== '' && ids.key !== ''
  })
  await untilStatus(bench, ids.run, 'waiting')
})
afterAll(async () => {
  await bench?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const filled = (line: string) =>
  line
    .replace('http://127.0.0.1:9471/', bench.url)
    .replaceAll('20261122t102203-xfbfedcduy', ids.run)
    .replaceAll('20261121t102203-a7kq3mzp2x', ids.other)
    .replace('/jobs/17/', `/jobs/${ids.job}/`)

test('what is left out is in the guide', () => {
  const left = CALLS.filter((call) => !isRun(call))
  expect([left.length, CALLS.length > 40]).toEqual([Object.keys(NOT_RUN).length, true])
})

test.each(CALLS.filter(isRun))('docs/api.md: $line', async ({ line, before }) => {
  if (line.includes("/retry -d '{}'") || line.includes('/events?follow')) await untilStatus(bench, ids.run, 'cancelled')
  const assigned = before.filter((one) => !one.startsWith('curl'))
  const script = [...assigned, line].map(filled).join('\n')
  // The token in the guide belongs to an operator.
  const token = line.includes('/decisions') ? TOKENS.approver : TOKENS.operator
  const env = { PATH: process.env.PATH, HOME: folder, WAREHOUSE_TOKEN: token, KEY: ids.key }
  // Rejects with the answer if it is an error.
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })
  expect(stdout).toMatch(line.includes('/events') ? /^id: 0\nevent: .*^event: run\.finished$/ms : /^[{[]/)
})
