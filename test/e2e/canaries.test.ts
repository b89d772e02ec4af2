import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { operations } from '../../src/contract/operations.ts'
import { reportError } from '../../src/core/report-error.ts'
import { type Reply, scriptedServer } from '../adapter/scripted-server.ts'
import { testClient } from '../adapter/test-client.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Personal data in forms that nothing else has. `LEAKED` also finds a part of one. */
function canaries() {
  let count = 0
  const hex = (length: number) => count.toString(16).padStart(length, '0')
  const kinds = [
    () => `canary${count}@example.com`,
    () => `canary${count}%40example.com`,
    () => `c0ffee00-0000-4000-8000-${hex(12)}`,
    () => `203.0.${(count >> 8) & 255}.${count & 255}`,
    () => `2001:db8::${hex(1)}`,
    () => `c0ffee${hex(58)}`,
  ]
  return {
    next: () => kinds[count++ % kinds.length]!(),
    some(length: number): string {
      return Array.from({ length }, () => this.next()).join(' and ')
    },
    get count() {
      return count
    },
  }
}
const LEAKED = /.{0,60}(?:canary\d|c0ffee|203\.0\.\d|2001:db8).{0,60}/gi
const leaked = (text: string) => text.match(LEAKED) ?? []

type Refusal = { status: number; headers?: Record<string, string>; json?: unknown; body?: string }

/** Error answers, in every shape that services use. */
function refusal(index: number, birds: ReturnType<typeof canaries>): Refusal {
  const some = () => birds.some(24)
  const status = [400, 403, 404, 409, 422][index % 5]!
  const shapes: (() => Omit<Refusal, 'status'>)[] = [
    () => ({ json: { title: some(), detail: some(), errors: [{ pointer: some(), detail: some() }, some()] } }),
    () => ({ json: { message: some(), errors: [{ field: some(), message: some() }] } }),
    () => ({ json: { error: { message: some() } } }),
    () => ({ json: some() }),
    () => ({ body: some(), headers: { 'content-type': 'text/plain' } }),
    () => ({ body: `<html><title>${some()}</title><p>${some()}</p>` }),
    () => ({ body: `<html><p>${some()}</p><p>${some()}` }),
    () => ({ body: `{"detail": "${some()}` }),
    () => ({ json: { detail: `${'x '.repeat(140)}${some()}` } }),
    () => ({
      json: { reason: some() },
      headers: { 'x-request-id': `canary-${birds.next().replace(/^.*-4.*-8.*$/, 'uuid')}` },
    }),
  ]
  return { status, ...shapes[index % shapes.length]!() }
}

test('10,000 e-mail addresses, ids, addresses and hashes in refusals reach neither an error nor the log', async () => {
  const birds = canaries()
  let asked = 0
  await using server = await scriptedServer(() => {
    if (asked++ % 7 === 0)
      return {
        status: 302,
        headers: {
          location: `https://${encodeURIComponent(birds.next())}@moved.example/x/${encodeURI(birds.some(2))}`,
        },
      }
    if (asked % 7 === 1) return { status: 200, headers: { 'content-type': birds.next() }, body: birds.some(3) }
    return refusal(asked, birds)
  })
  await using client = testClient(server.url)
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, birds.some(100).replaceAll(' and ', '\n'))
  const bucket = { file, uploadSignal: 'EMAIL', resultContent: 'BGID' }
  const reports: string[] = []
  for (let round = 0; birds.count < 10_000 && round < 40; round++) {
    for (const id of Object.keys(operations)) {
      // Any input that fits the contract: the contract is checked first, and its errors quote nothing from the service.
      const input = { segmentId: '7', matchId: '7', activationId: '7', jobId: '7', groupId: '7' }
      const error = await client.api.untyped
        .call(id as never, (id === 'files.upload' ? bucket : input) as never)
        .catch((thrown: unknown) => thrown)
      reports.push(JSON.stringify(reportError(error)))
    }
  }
  expect(birds.count).toBeGreaterThanOrEqual(10_000)
  expect(server.seen.some(({ url, body }) => url.includes('/files') && LEAKED.test(body))).toBe(true)
  expect(reports.join('\n')).toContain('[e-mail]')
  expect(leaked(reports.join('\n'))).toEqual([])
  expect(leaked(JSON.stringify(client.logs))).toEqual([])
})

test('runs whose steps, jobs and web hooks are refused leave none in the state, the output and the log', async () => {
  const birds = canaries()
  let asked = 0
  const server = await scriptedServer(({ url }) => {
    if (url.includes('/jobs/')) return { json: { id: '5', status: `BROKEN ${birds.some(2)}` } }
    if (url.includes('/hook')) return { status: 400, body: birds.some(4) }
    return refusal(asked++, birds)
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const cwd = tempFolder()
  const failing = Array.from(
    { length: 10 },
    (_, index) => `  - { id: s${index}, uses: segments.list, needs: [], continueOnError: true }\n`,
  ).join('')
  writeFileSync(
    join(cwd, 'p.yaml'),
    `version: 1
name: p
inputs: { note: { type: string } }
steps:
${failing}  - { id: job, uses: jobs.wait, needs: [], with: { jobId: "5" }, await: { timeout: 1s }, continueOnError: true }
  - { id: hook, uses: notify.webhook, needs: [], with: { url: "${server.origin}/hook", text: x }, continueOnError: true }
  - id: bad
    uses: files.upload
    needs: []
    with: { file: bad.csv, uploadSignal: EMAIL, resultContent: BGID }
    continueOnError: true
`,
  )
  writeFileSync(join(cwd, 'bad.csv'), Buffer.concat([Buffer.from(birds.some(50)), Buffer.from([0xff])]))
  const env = { AUDIENCE_BASE_URL: server.url, AUDIENCE_TOKEN: 'a-token-of-ours', AUDIENCE_STATE: join(cwd, 'state') }
  const args = ['-i', 'note=x', '--log-level', 'debug']
  const found = [await commandLine(['run', join(cwd, 'p.yaml'), ...args], { cwd, env })]
  found.push(await commandLine(['run', join(cwd, 'p.yaml'), ...args, '--json'], { cwd, env }))
  found.push(await commandLine(['runs', 'list', '--json'], { cwd, env }))
  const { runId } = JSON.parse(found.at(-1)!.out.split('\n')[0]!)
  found.push(await commandLine(['runs', 'show', runId], { cwd, env }))
  expect(birds.count).toBeGreaterThan(200)
  expect(found[0]!.out).toContain('[e-mail]')
  for (const { out, err } of found) expect(leaked(out + err)).toEqual([])
  expectNoneInState(join(cwd, 'state'))
})

test('an expectation shows its own text, and masks what an output put into it', async () => {
  const birds = canaries()
  const server = await scriptedServer([{ json: { segments: [] } }])
  onTestFinished(() => server[Symbol.asyncDispose]())
  const cwd = tempFolder()
  writeFileSync(
    join(cwd, 'p.yaml'),
    `version: 1
name: p
inputs: { note: { type: string } }
steps:
  - id: list
    uses: segments.list
    expect: [{ check: "\${{ false }}", message: "ask ops@example.com about \${{ inputs.note }}" }]
`,
  )
  const env = { AUDIENCE_BASE_URL: server.url, AUDIENCE_TOKEN: 'a-token-of-ours', AUDIENCE_STATE: join(cwd, 'state') }
  const { out } = await commandLine(['run', join(cwd, 'p.yaml'), '-i', `note=${birds.some(6)}`], { cwd, env })
  expect(out).toContain('ask ops@example.com about [e-mail] and [e-mail] and [id] and [ip] and [ip] and [hash]')
  expect(leaked(out)).toEqual([])
})

test('a daemon leaves none in the notes beside files, metrics, readiness, notifications, the state, the log and the status', async () => {
  const birds = canaries()
  const rows = () => [
    'email',
    ...Array.from({ length: 20 }, () => `canary${birds.next().length}-${birds.count}@example.com`),
  ]
  let uploads = 0
  let hooks = 0
  const server = await scriptedServer(({ url, method, body }) => {
    if (url.includes('/hook')) return { status: hooks++ % 2 === 0 ? 422 : 200, body: birds.some(6) }
    if (url.includes('/jobs/'))
      return {
        json: { id: '5', status: 'FAILED', message: birds.some(6), error: birds.some(6), result: birds.some(6) },
      }
    if (method !== 'POST' || !url.includes('/files')) return { status: 401, json: { detail: birds.some(6) } }
    const echo = body.replaceAll('\r\n', ' ').slice(0, 5000)
    const refusals: Reply[] = [
      { status: 400, json: { detail: echo, errors: [{ pointer: birds.some(2), detail: echo }] } },
      'reset',
      { status: 413, body: echo, headers: { 'content-type': 'text/plain' } },
    ]
    return refusals[uploads++] ?? { json: { name: 'ok' } }
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const project = projectIn(tempFolder(), {
    AUDIENCE_BASE_URL: server.url,
    AUDIENCE_TOKEN: 'a-token-of-ours',
    HOOK: `${server.origin}/hook`,
  })
  const { folder, options } = project
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'audience.yaml'), 'notify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }')
  const watched = (name: string, step: string) => {
    mkdirSync(join(folder, name))
    writeFileSync(
      join(folder, `pipelines/${name}.yaml`),
      `version: 1
name: ${name}
inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: ../${name}, pattern: "*.csv", settle: 100ms, done: ../done, failed: ../failed, precheck: { signal: EMAIL } }
    inputs: { file: "\${{ trigger.file }}" }
steps:
  - { id: one, ${step} }
`,
    )
  }
  const upload = 'uses: files.upload, with: { file: "${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }'
  watched('uploads', upload)
  watched('jobs', 'uses: jobs.wait, with: { jobId: "5" }')
  watched('lists', 'uses: segments.list')
  const daemon = spawnDaemon(project.options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  const { url } = await untilReady(daemon)
  const ask = async (path: string) => (await fetch(url + path)).text()
  // The daemon sends a request to the service when it starts, and the service refuses it.
  let notReady = ''
  await until(async () => {
    notReady = await ask('/readyz')
    return notReady.includes('[e-mail]')
  })
  const filed = (count: number) =>
    until(() => stateRows(project, 'SELECT 1 FROM occurrences WHERE open = 0').length === count, {
      describe: () => JSON.stringify(stateRows(project, 'SELECT * FROM occurrences LEFT JOIN runs USING (run_id)')),
    })
  const drop = (path: string, lines: readonly string[], end = '') =>
    writeFileSync(join(folder, path), Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from(end, 'latin1')]))

  drop('uploads/refused-1.csv', rows())
  drop('uploads/refused-2.csv', rows())
  drop('jobs/job.csv', rows())
  drop('lists/list.csv', rows())
  // Files that the check before a run refuses: of the wrong kind, not UTF-8, empty.
  drop('uploads/devices.csv', ['id', ...Array.from({ length: 20 }, () => birds.some(1).replace(/@|%40/, ' at '))])
  drop('uploads/bytes.csv', rows(), '\xff')
  await filed(6)
  const same = rows()
  drop('uploads/fits.csv', same)
  await filed(7)
  drop('uploads/again.csv', same)
  await filed(8)
  // A message that was refused is sent again much later.
  await until(() => hooks > 3)

  const notes = ['done', 'failed'].flatMap((into) =>
    readdirSync(join(folder, into)).flatMap((name) =>
      name.endsWith('.txt') ? [`${name}: ${readFileSync(join(folder, into, name), 'utf8')}`] : [],
    ),
  )
  expect(notes).toHaveLength(7)
  const asked = [notReady, ...(await Promise.all(['/metrics', '/readyz', '/healthz'].map(ask)))]
  const env = options.env
  const runs = stateRows(project, 'SELECT run_id FROM runs').map(({ run_id }) => String(run_id))
  const commands = [
    ['status'],
    ['status', '--json'],
    ['runs', 'list', '--json'],
    ...runs.map((run) => ['runs', 'show', run]),
  ]
  const shown: string[] = []
  for (const args of commands) {
    const { out, err } = await commandLine(args, { cwd: folder, env })
    shown.push(out + err)
  }
  const told = server.seen.filter(({ url }) => url.includes('/hook')).map(({ body }) => body)
  expect(told.length).toBeGreaterThan(3)
  const { out, err, code } = await kill(daemon, 'SIGTERM')
  expect(code).toBe(0)
  expect(err).toContain('[e-mail]')
  expect(told.join()).toContain('[e-mail]')
  expect(notes.join()).toContain('[e-mail]')
  for (const text of [...notes, ...asked, ...shown, ...told, out, err]) expect(leaked(text)).toEqual([])
  expectNoneInState(join(folder, 'state'))
})

function expectNoneInState(folder: string): void {
  const state = readdirSync(folder).filter((name) => name.startsWith('runs.db') || name.endsWith('.json'))
  expect(state).toContain('runs.db')
  for (const name of state) expect(leaked(readFileSync(join(folder, name), 'latin1'))).toEqual([])
}
