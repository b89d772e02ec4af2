import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { send, sessionAt } from '../console/support/console-bench.ts'
import { audience, root, spawnAudience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { isLong } from '../support/is-long.ts'
import { tempFolder } from '../support/temp-folder.ts'

const QUICKSTART = readFileSync(join(root, 'pipelines/quickstart.yaml'), 'utf8')
/**
 * A run that is started by hand, by a file, by a slot, after other runs or by another run, and one that asks a person.
 */
const KINDS_OF_FIRST = /^(quickstart|dropped-file|nightly|from-parquet|after-both|nested|approval)\.yaml$/
const pipelines = readdirSync(join(root, 'pipelines')).filter((name) => name.endsWith('.yaml'))

const documents = pipelines.filter((name) => !name.endsWith('.test.yaml'))
/** Groups of the examples, so that no single test takes long. */
const parts = Map.groupBy(documents, (_, index) => index % 4)

test.each([...parts.values()])('examples have tests, and they pass: %s, …', async (...names) => {
  const files = names.map((name) => join(root, 'pipelines', name.replace('.yaml', '.test.yaml')))
  const { code, out } = await audience(['test', ...files, '--jobs', '2', '--json'])
  const results = linesOf(out)
  expect(results.filter(({ status }) => status !== 'passed')).toEqual([])
  expect(new Set(results.map(({ file }) => file))).toEqual(new Set(files))
  expect(code).toBe(0)
})

test('what tests rehearse is the same each time, to the last request', async () => {
  const files = 'pipelines/{dropped-file,many-partners}.test.yaml'
  // The second command runs one file at a time, and begins with another file. 'bench/rehearsal/same.ts' repeats all
  // examples.
  const [at, alone] = [
    await audience(['test', files, '--jobs', '2', '--json']),
    await audience(['test', 'pipelines/quickstart.test.yaml', files, '--jobs', '1', '--json']),
  ]
  const lines = at.out.trim().split('\n')
  expect(lines.length).toBe(4)
  expect(alone.out.split('\n')).toEqual(expect.arrayContaining(lines))
  expect(linesOf(at.out).every(({ digest }) => /^[0-9a-f]{16}$/.test(String(digest)))).toBe(true)
})

test('the process of a test says that time goes on: however long that takes, it does not stand still', async () => {
  const file = join(root, 'pipelines/clean-up.test.yaml')
  const order = { file, root: join(root, 'pipelines'), seed: 1, keep: false, scratch: tempFolder() }
  const child = fork(join(root, 'src/rehearsal/test-worker.ts'), { execArgv: [] })
  child.send(order)
  const said: object[] = []
  child.on('message', (report: object) => said.push(report))
  await once(child, 'close')
  expect(said.at(0)).toEqual({ moments: 1_000 })
  expect(said.at(-1)).toEqual({ ended: true })
})

/** A person is asked if nothing proves whether it was done, or whose it is. */
const ASKS: Readonly<Record<string, string>> = {
  'before matches.create': '{ held: match, live: { segments: 1, matches: 0, activations: 0 } }',
  'after matches.create': '{ held: match, live: { segments: 1, matches: 1, activations: 0 } }',
  'before activations.create': '{ held: activate, live: { segments: 1, matches: 1, activations: 0 } }',
}

test('a process that dies at any write makes nothing twice, and loses nothing', async () => {
  const writes = ['files.upload', 'segments.create', 'matches.create', 'activations.create']
  const { code, out } = await rehearse(
    writes.flatMap((operation) =>
      ['before', 'after'].map((when) => {
        const expected =
          ASKS[`${when} ${operation}`] ?? '{ status: succeeded, live: { segments: 1, matches: 1, activations: 1 } }'
        return `
  - it: dies ${when} ${operation}
    do:
      - run: {}
        kill: { ${when}: ${operation} }
        expect: ${expected}`
      }),
    ),
  )
  expect(out).toMatch(/8 tests in 1 file: 8 passed, 0 failed/)
  expect(code).toBe(0)
})

test('what a test does not name fails it, and the failure says what, where and which requests there were', async () => {
  const { code, out } = await rehearse([
    `
  - it: expects too few writes
    do:
      - run: {}
        expect: { writes: { files.upload: 1 } }`,
    `
  - it: names no failure
    do:
      - run: { inputs: { minimumMatch: 100000 } }`,
    `
  - it: waits for a kill that never comes
    do:
      - run: {}
        kill: { before: segments.refresh }`,
    `
  - it: has a fault that never comes
    do:
      - run: {}
        faults: [{ operation: segments.delete, action: status, status: 500 }]`,
    `
  - it: waits for a night that starts nothing
    do:
      - night: true`,
    `
  - it: answers a question that nobody asked
    do:
      - run: {}
      - cancel: true`,
  ])
  expect(code).toBe(1)
  expect(out).toContain('6 tests in 1 file: 0 passed, 6 failed')
  expect(out).toMatch(
    /FAIL expects too few writes .*\n {5}pipelines\/own\.test\.yaml:10 {2}writes\n {7}expected \{"files\.upload":1\}\n {7}seen {5}\{"activations\.create":1,.*\n {5}requests: files\.upload 200, /,
  )
  expect(out).toMatch(
    /names no failure .*\n.*status\n {7}expected succeeded\n {7}seen {5}failed: step match: .*only \d+ people matched/,
  )
  expect(out).toMatch(/kill before segments\.refresh\n {7}expected it happens/)
  expect(out).toMatch(/fault status of segments\.delete\n {7}expected it happens/)
  expect(out).toMatch(
    /cancel\n {7}expected it can be done\n {7}seen {5}no run waits for that: the newest run, \S+, has the status succeeded/,
  )
  expect(out).toMatch(/runs\n {7}expected a run begins, or `runs: \{\}`\n {7}seen {5}no run/)
})

test('a test file with errors has them at their places, and no test runs', async () => {
  const { code, out } = await rehearse([
    `
  - it: names a step that is not there
    do:
      - run: {}
        expect: { error: { step: mach } }`,
  ])
  expect(code).toBe(3)
  expect(out).toMatch(/^pipelines\/own\.test\.yaml:10:\d+ error .*mach/)
  expect(out).not.toMatch(/ok |FAIL/)
})

test('results are JUnit, too, and a failed world can be kept and looked at', async () => {
  const { cwd, code, out } = await rehearse(
    [
      `
  - it: '"quotes" & <signs>'
    do:
      - run: {}
        expect: { status: failed }`,
    ],
    ['--junit', 'results.xml', '--keep'],
  )
  expect(code).toBe(1)
  const xml = readFileSync(join(cwd, 'results.xml'), 'utf8')
  expect(xml).toContain('<testsuite name="pipelines/own.test.yaml" tests="1" failures="1" errors="0">')
  expect(xml).toContain('name="&quot;quotes&quot; &amp; &lt;signs&gt;"><failure'.replace('><', '>\n      <'))
  const [, state = ''] = /AUDIENCE_STATE=(\S+) audience runs list/.exec(out) ?? []
  const kept = await commandLine(['runs', 'list', '--json'], { cwd, env: { AUDIENCE_STATE: state } })
  expect(kept.out).toContain('"status":"succeeded"')
  const [, world = ''] = /audience console --world (\S+)/.exec(out) ?? []
  const shown = spawnAudience(['console', '--world', world, '--json'], { cwd })
  await expect.poll(shown.written).toMatch(/^{"url":.*}\n/)
  const link = new URL((JSON.parse(shown.written()) as { url: string }).url)
  const headers = { ...(await sessionAt(link)), 'sec-fetch-site': 'same-origin', 'x-audience-console': '1' }
  const runs = await send(new URL('api/v1/runs', link), { headers })
  expect(runs.body).toMatchObject({ runs: [{ pipeline: 'quickstart', status: 'succeeded' }] })
  const begun = await send(new URL('api/v1/runs', link), { method: 'POST', headers, json: { pipeline: 'own' } })
  expect(begun.body).toMatchObject({ code: 'read-only' })
  shown.kill('SIGINT')
  expect(await shown.ended).toMatchObject({ code: 0, err: '' })
})

test('a named slot is that of its trigger, dates of the service are of its time, and what a web hook sent is compared in part', async () => {
  const { code, out } = await rehearse(
    [
      `
  - it: comes to the slot of Monday after seven nights
    do:
      - slot: weekly
        expect: { runs: { succeeded: 8 }, sent: 8, check: ["\${{ run.startedAt >= timestamp('2026-10-26T04:00:00Z') }}"] }`,
      `
  - it: waits for the moment that the service names
    do:
      - run: {}
        faults: [{ operation: segments.list, action: status, status: 503, times: 1, retryAfter: "Tue, 20 Oct 2026 00:00:20 GMT" }]
        expect:
          sent: [{ url: "https://hooks.example.com/done" }]
          check: ["\${{ run.finishedAt >= timestamp('2026-10-20T00:00:20Z') }}"]`,
      `
  - it: does not excuse a night with the failure of another
    do:
      - nights: 2
        faults: [{ operation: segments.list, action: status, status: 403, times: 1 }]
        expect: { error: { step: tell } }`,
    ],
    [],
    `version: 1
name: own
triggers:
  - { id: nightly, schedule: { cron: "0 2 * * *", timezone: UTC } }
  - { id: weekly, schedule: { cron: "0 4 * * 1", timezone: UTC } }
steps:
  - { id: all, uses: segments.list }
  - { id: tell, uses: notify.webhook, with: { url: "https://hooks.example.com/done", text: done } }
`,
  )
  expect(out).toMatch(/^ok {3}comes to.*\nok {3}waits for the moment.*\nFAIL does not excuse/)
  expect(out).toMatch(
    /status\n {7}expected succeeded, because every run except the newest must succeed.*\n {7}seen {5}failed: step all/,
  )
  expect(code).toBe(1)
})

test('--update writes the counts that were seen, and leaves a test alone that failed otherwise', async () => {
  const ofOneRun = '{ files.upload: 1, segments.create: 1, matches.create: 1, activations.create: 1 }'
  const others = `
  - it: fails otherwise, too
    do:
      - run: {}
        expect: { writes: {} }
      - run: {}
        expect: { status: failed }
  - it: passes
    do:
      - run: {}
        expect: { live: { segments: 1,   matches: 1 } }   # as it is`
  const counted = (writes: string, plan: string) => `
  - it: counts
    do:
      - run: {} # once
        expect: { writes: ${writes}, plan: ${plan} } # as in its first life${others}`
  const { cwd, code, out } = await rehearse([counted('{ files.upload: 2 }', '{ leave: 1 }')], ['--update'])
  expect(out).toMatch(/^ok {3}counts.*\n {5}pipelines\/own\.test\.yaml:10 {2}writes rewritten\n/)
  expect(out).toContain('       was      {"leave":1}\n       is       {"create":3,"upload":1}\n')
  expect(out).toContain('3 tests in 1 file: 2 passed, 1 failed; 2 expectations rewritten')
  expect(code).toBe(1)
  const updated = readFileSync(join(cwd, 'pipelines/own.test.yaml'), 'utf8')
  expect(updated).toBe(testFile([counted(ofOneRun, '{ upload: 1, create: 3 }')]))
})

test('--init writes a first test of each example, which passes at once and overwrites nothing', async () => {
  const cwd = tempFolder()
  // No test reaches a bucket, so a first run of from-bucket.yaml fails. The gate has one test for each kind of start
  // and end.
  const isLeftOut = (name: string) => /\.test\.|from-bucket/.test(name) || (!isLong && !KINDS_OF_FIRST.test(name))
  const isOther = (path: string) => path.endsWith('.yaml') && isLeftOut(basename(path))
  cpSync(join(root, 'pipelines'), join(cwd, 'pipelines'), { recursive: true, filter: (path) => !isOther(path) })
  const documents = pipelines.filter((name) => !isLeftOut(name))
  const written = await commandLine(['test', '--init', 'pipelines', '--jobs', '2'], { cwd })
  expect(
    written.out.match(/^wrote pipelines\/.*: (a run that (succeeded|waits for a person at release)|3 runs)$/gm),
  ).toHaveLength(documents.length)
  expect(written.code).toBe(0)
  const { code, out } = await commandLine(['test', '--jobs', '2'], { cwd })
  expect(out).toContain(`${documents.length} tests in ${documents.length} files: ${documents.length} passed, 0 failed`)
  expect(code).toBe(0)
  const again = await commandLine(['test', '--init', 'pipelines/quickstart.yaml'], { cwd })
  expect(again).toMatchObject({
    code: 2,
    err: expect.stringContaining('pipelines/quickstart.test.yaml already exists'),
  })
})

/** Runs tests of a copy of quickstart.yaml in a new project. */
async function rehearse(tests: readonly string[], flags: readonly string[] = [], pipeline = QUICKSTART) {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  writeFileSync(join(cwd, 'pipelines/own.yaml'), pipeline)
  writeFileSync(join(cwd, 'pipelines/own.test.yaml'), testFile(tests))
  return { cwd, ...(await commandLine(['test', ...flags], { cwd })) }
}

function testFile(tests: readonly string[]): string {
  return `test: own.yaml
given:
  from: 2026-10-20
  files: { data/auto-intenders.csv: { people: 5200 } }

tests:${tests.join('')}
`
}

function linesOf(out: string): Record<string, unknown>[] {
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
