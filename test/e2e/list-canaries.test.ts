import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * 40,000 people go through every part that keeps something about lists, and through its errors. None of them may appear
 * anywhere.
 */

const HALF = 20_000
const LEAKED = /.{0,60}canary[0-9a-z]{5}.{0,60}/gi

/** A person that resembles nothing else. */
const person = (at: number) => `canary${String(at).padStart(5, '0')}@example.com`
const people = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => person(from + at))

const DOCUMENT = `version: 1
name: nightly
inputs: { file: { type: file, default: ../people.csv } }
triggers:
  - id: drop
    watch: { path: ../inbox, pattern: "*.csv", settle: 100ms, done: ../done, failed: ../failed }
    inputs: { file: "\${{ trigger.file }}" }
steps:
  - id: list
    uses: files.prepare
    with: { from: { file: "\${{ inputs.file }}" }, column: email, signal: EMAIL }
    expect:
      - check: \${{ outputs.removed == null || outputs.removed < 30000 }}
        message: removed \${{ outputs.removed }} of \${{ inputs.file }}
  - id: upload
    uses: files.upload
    with: { file: "\${{ steps.list.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
outputs: { all: "\${{ steps.list.outputs }}" }
`

test('no person of a list shows in the state, the output, the log, an error, a metric or a message', async () => {
  const server = await scriptedServer(({ url, method }) => {
    if (url.includes('/hook')) return {}
    return { json: method === 'GET' ? { segments: [], page: 0, pageSize: 10, hasMore: false } : { name: 'uploaded' } }
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const project = projectIn(tempFolder(), {
    AUDIENCE_BASE_URL: server.url,
    AUDIENCE_TOKEN: 'a-token-of-ours',
    HOOK: `${server.origin}/hook`,
  })
  const { folder, options } = project
  const at = (...path: string[]) => join(folder, ...path)
  const write = (name: string, keys: readonly string[]) => writeFileSync(at(name), ['email', ...keys, ''].join('\n'))
  const printed: string[] = []
  const audience = async (...args: string[]) => {
    const ended = await commandLine(args, { cwd: folder, env: options.env })
    printed.push(ended.out, ended.err)
    return ended
  }
  const night = () => audience('run', at('pipelines/nightly.yaml'), '--json', '--log-level', 'debug')
  mkdirSync(at('pipelines'))
  mkdirSync(at('inbox'))
  writeFileSync(at('pipelines/nightly.yaml'), DOCUMENT)
  writeFileSync(
    at('audience.yaml'),
    'privacy: { suppress: [opt-outs.csv] }\nnotify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }\n',
  )
  write('opt-outs.csv', people(0, 1000))
  write('people.csv', people(0, HALF))
  expect((await night()).code).toBe(0)
  write('people.csv', people(HALF / 2, 2 * HALF))
  expect((await night()).code).toBe(0)

  // The parts that work.
  const [second = '', first = ''] = runsOf(project)
  expect((await audience('diff', first, second)).out).toContain('+20,000')
  await audience('diff', first, second, '--json')
  write('asked.csv', people(HALF, HALF + 1000))
  expect((await audience('privacy', 'check', at('asked.csv'))).code).toBe(5)
  expect((await audience('privacy', 'check', at('asked.csv'), '--json')).out).toContain('"held":1000')
  expect((await audience('plan', at('pipelines/nightly.yaml'), '--log-level', 'debug')).code).toBe(0)
  expect((await audience('backup', at('copy.db'), '--with-membership')).code).toBe(0)

  // The cases that fail: each fault, and how it shows.
  const key = at('state/membership/key')
  const lists = at('state/membership/runs')
  const faults: readonly [name: string, break_: () => void, mend: () => void][] = [
    ['no opt-outs', () => renameSync(at('opt-outs.csv'), at('away')), () => renameSync(at('away'), at('opt-outs.csv'))],
    [
      'opt-outs of another kind',
      () =>
        write(
          'opt-outs.csv',
          people(0, 50).map((one) => one.replace('@', ' of ')),
        ),
      () => write('opt-outs.csv', []),
    ],
    [
      'damaged opt-outs',
      () => writeFileSync(at('opt-outs.csv'), `PAR1${people(0, 500).join('\n')}`),
      () => write('opt-outs.csv', []),
    ],
    [
      'opt-outs that are not UTF-8',
      () => appendFileSync(at('opt-outs.csv'), Buffer.from(`${person(7)}\xff,"${person(8)}\n`, 'latin1')),
      () => write('opt-outs.csv', []),
    ],
    ['a key that is damaged', () => replace(key, at('key')), () => renameSync(at('key'), key)],
    ['lists that cannot be written', () => replace(lists, at('lists')), () => renameSync(at('lists'), lists)],
    ['lists that are damaged', () => eachFile(lists, (file) => truncateSync(file, 5000)), () => undefined],
  ]
  const asked = at('asked.csv')
  for (const [name, break_, mend] of faults) {
    break_()
    const ended = await night()
    if (name !== 'lists that are damaged' && !name.includes('UTF-8')) expect(ended.code, name).toBe(1)
    expect(ended.out, name).not.toContain('a bug in the runner')
    await audience('privacy', 'check', asked)
    await audience('diff', first, second)
    await audience('plan', at('pipelines/nightly.yaml'))
    if (name === 'lists that cannot be written') rmSync(lists)
    mend()
  }
  for (const content of [people(0, 50).join(' and '), `PAR1${person(5)}`, `\x1f\x8b${person(5)}`]) {
    writeFileSync(asked, content, 'latin1')
    expect((await audience('privacy', 'check', asked)).code).toBe(1)
  }

  // A daemon with a dropped file, whose run fails and is reported.
  expect((await night()).code).toBe(0)
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  const { url } = await untilReady(daemon)
  write('inbox/list.csv', people(0, 10))
  await until(() => server.seen.some((seen) => seen.url.includes('/hook')))
  for (const path of ['/metrics', '/readyz', '/healthz']) printed.push(await (await fetch(url + path)).text())
  for (const args of [['status'], ['status', '--json'], ['runs', 'list', '--json']]) await audience(...args)
  const { out, err, code } = await kill(daemon, 'SIGTERM')
  expect(code).toBe(0)
  printed.push(out, err, ...server.seen.flatMap(({ url, body }) => (url.includes('/hook') ? [body] : [])))
  expect(server.seen.at(-1)?.body).toContain('removed')

  // Records of ended runs are packed: the command shows them.
  const runs = runsOf(project)
  expect(runs.length).toBeGreaterThan(8)
  for (const run of runs) {
    await audience('runs', 'show', run, '--json')
    await audience('runs', 'logs', run, '--json')
  }
  await audience('privacy', 'purge')
  await audience('runs', 'prune', '--older-than', '0s', '--keep', '0')
  for (const text of printed) expect(text.match(LEAKED) ?? []).toEqual([])
  const searched = [...filesIn(at('state')), ...filesIn(at('copy.db.membership')), at('copy.db')]
  expect(searched).toContain(at('state/runs.db'))
  for (const file of searched) expect(readFileSync(file, 'latin1').match(LEAKED) ?? [], file).toEqual([])
})

function runsOf(project: ReturnType<typeof projectIn>): string[] {
  return stateRows(project, 'SELECT run_id FROM runs ORDER BY submitted_at DESC, run_id DESC').map((row) =>
    String(row.run_id),
  )
}

function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files.filter((file) => statSync(file).isFile())
}

/** Replaces something with a file that contains a person. */
function replace(path: string, away: string): void {
  renameSync(path, away)
  writeFileSync(path, person(9))
}

function eachFile(folder: string, work: (file: string) => void): void {
  for (const file of filesIn(folder)) work(file)
}
