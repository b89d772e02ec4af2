import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { operations } from '../../src/contract/operations.ts'
import { reportError } from '../../src/core/report-error.ts'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { testClient } from '../adapter/test-client.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Personal data that can be told from everything else, one after the other; `leaked` finds those that are in a text. */
function canaries() {
  let count = 0
  const hex = (length: number) =>
    (count * 2654435761 + 0xc0ffee).toString(16).padStart(16, 'f').repeat(5).slice(0, length)
  const kinds = [
    () => `canary${count}@example.com`,
    () => `canary${count}%40example.com`,
    () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    () => `203.0.${(count >> 8) & 255}.${count & 255}`,
    () => `2001:db8::${(count & 0xffff).toString(16)}:${hex(4)}`,
    () => hex(64),
  ]
  const made: string[] = []
  return {
    next(): string {
      const kind = kinds[count++ % kinds.length]!
      const one = kind()
      made.push(one)
      return one
    },
    some(length: number): string {
      return Array.from({ length }, () => this.next()).join(' and ')
    },
    get count() {
      return made.length
    },
    leaked: (text: string) => made.filter((one) => text.toLowerCase().includes(one.toLowerCase())),
  }
}

type Reply = { status: number; headers?: Record<string, string>; json?: unknown; body?: string }

/** Answers that refuse, in every shape that services use. */
function refusal(index: number, birds: ReturnType<typeof canaries>): Reply {
  const some = () => birds.some(3)
  const status = [400, 403, 404, 409, 422][index % 5]!
  const shapes: (() => Omit<Reply, 'status'>)[] = [
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
  const found: string[] = []
  const ids = Object.keys(operations).filter((id) => id !== 'files.upload')
  for (let round = 0; birds.count < 10_000; round++) {
    for (const id of ids) {
      // Whatever fits: the contract is asked first, and its refusals quote nothing of the service.
      const input = { segmentId: '7', matchId: '7', activationId: '7', jobId: '7', groupId: '7' }
      const error = await client.api.untyped.call(id as never, input as never).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      const leaked = birds.leaked(JSON.stringify(reportError(error)))
      if (leaked.length > 0) found.push(`${id}: ${leaked.join()}`)
    }
    if (round > 400) throw new Error(`only ${birds.count} were sent`)
  }
  expect(found).toEqual([])
  expect(birds.leaked(JSON.stringify(client.logs))).toEqual([])
}, 60_000)

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
    { length: 30 },
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
  expect(birds.count).toBeGreaterThan(300)
  expect(found[0]!.out).toContain('[e-mail]')
  for (const { out, err } of found) expect(birds.leaked(out + err)).toEqual([])
  const state = readdirSync(join(cwd, 'state')).filter((name) => name.startsWith('runs.db'))
  expect(state.length).toBeGreaterThan(0)
  for (const name of state) expect(birds.leaked(readFileSync(join(cwd, 'state', name), 'latin1'))).toEqual([])
}, 60_000)

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
  expect(birds.leaked(out)).toEqual([])
}, 30_000)
