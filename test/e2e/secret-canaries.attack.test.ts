import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mapValues } from '../../src/core/map-values.ts'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { findsOf, readings } from '../core/read-secrets.ts'
import { broken, ENCODINGS } from '../core/secret-encodings.ts'
import { spawnAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, until } from '../support/daemon.ts'
import { isLong } from '../support/is-long.ts'
import { tempFolder } from '../support/temp-folder.ts'

/* A value of `env` and the token go through every output in every encoding. No part of them may appear anywhere. */

const WORD = 'c4n4ry'
const KEY = `${WORD}+/="ä\\<&>%${WORD}\nof\t${WORD}`
const TOKEN = `${WORD}-token+/${WORD}==`

/** The word unchanged, as some encodings leave it, and with its letters escaped, as others write it. */
const TRACES = [
  WORD,
  ...[0, 1, 2].map((before) =>
    Buffer.from('x'.repeat(before) + WORD)
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + WORD.length) * 8) / 6)),
  ),
  [...WORD].map((sign) => `u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  [...WORD].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(''),
]

function traces(text: string): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  const joined = text.replace(/<w?br ?\/?>|\u001b\[[0-9;]*m|[\s\u00ad\u200b\\]/gi, '')
  return TRACES.flatMap((trace) => {
    const at = trace === WORD || trace.startsWith('u') || trace.startsWith('%') ? joined.toLowerCase() : joined
    const found = at.indexOf(trace)
    return found < 0 ? [] : [joined.slice(Math.max(0, found - 60), found + 60)]
  })
}

/**
 * Every encoding, two in five of all nested pairs, and one encoding broken by white space. `secrets.test.ts` has the
 * rest.
 */
function echoes(secret: string): readonly string[] {
  const random = () => 0.3
  const once = ENCODINGS.map(({ encode }) => encode(secret, random))
  const pairs = ENCODINGS.flatMap(({ encode }) => once.map((text) => encode(text, random)))
  const twice = pairs.filter((_, index) => isLong || index % 5 < 2)
  let seed = 1
  const chance = () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
  return [secret, ...once, ...twice, ...[secret, ...once].map((text) => broken(text, chance))]
}

/** More secrets, one of each usual kind, and the part of each that must not appear. */
const BODY = Array.from(
  { length: 4 },
  (_, line) => `${line}MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj/Ag+AAoIBAQC7VJTUt9Us${line}`,
)
const PEM = ['-----BEGIN PRIVATE KEY-----', ...BODY, 'AbCdEfGh12==', '-----END PRIVATE KEY-----'].join('\n')
const KINDS: Readonly<Record<string, { readonly value: string; readonly telling: readonly string[] }>> = {
  LINES: { value: PEM, telling: [...BODY, 'AbCdEfGh12=='] },
  FILE: {
    value: JSON.stringify({ id: 'a4f1c0de77b2', key: PEM, note: 'un"quoted\\no<te>' }, undefined, 2),
    telling: ['a4f1c0de77b2', 'un"quoted\\no<te>'],
  },
  ...Object.fromEntries(
    Object.entries({
      TAGS: 'pw<b>of</b>7&ours<br>9',
      QUOTES: `q"1'7$HOME%41\`x\`{}%`,
      WORDS: 'zebra quartz 7 lantern violin',
      ACCENTS: 'Grüße-Åse-漢字-naïveté'.normalize('NFC'),
      SHORT: 'sh0rt7',
      PREFIX: 'kappa-0815-lambda',
      LONGER: 'kappa-0815-lambda-4711-omega',
      AROUND: 'rho-7-kappa-0815-lambda-sigma-3',
      ...Object.fromEntries(
        Array.from({ length: 92 }, (_, index) => [
          `MANY${index}`,
          `m4ny-${(index * 7919 + 104729).toString(36)}-${(index * 65537 + 7).toString(36)}-secrets`,
        ]),
      ),
    }).map(([name, value]) => [name, { value, telling: [value] }]),
  ),
}
const finds = findsOf(Object.values(KINDS).flatMap(({ telling }) => telling))
const NAMES = ['KEY', 'HOOK', ...Object.keys(KINDS)]

const MANY = /^MANY[1-9]/
const READ = ['JSON', 'URL', 'base64', 'HTML by number']

/** The parts of a secret that appear: in clear, or decoded from each encoding. */
function leaks(text: string): readonly string[] {
  const reads = [text, ...READ.flatMap((name) => readings(text, name))]
  return reads.flatMap((read) => finds(read) ?? [])
}

/** In clear, line by line, cut, in other spellings, in an HTML page, and in some encodings. */
function kindEchoes({ value }: { readonly value: string }): readonly string[] {
  const random = () => 0.3
  const encoded = ENCODINGS.filter(({ name }) => READ.includes(name)).map(({ encode }) => encode(value, random))
  const half = Math.floor(value.length / 2)
  return [
    ...[value, ...value.split('\n'), value.toUpperCase(), value.normalize('NFD')],
    ...[`${value.slice(0, half)}…`, value.slice(half), value.slice(3, -3), `${value.slice(0, -1)}...`],
    ...[value.replaceAll('"', '""'), value.replaceAll("'", "'\\''"), value.replace(/[<>&"'$%`\\ ]/g, '\\$&')],
    ...encoded.flatMap((text) => [text, text.slice(0, -5)]),
  ]
}

const ECHOES = [
  ...echoes(KEY),
  ...Object.entries(KINDS).flatMap(([name, kind]) =>
    name.endsWith('9') ? [kind.value] : MANY.test(name) ? [] : kindEchoes(kind),
  ),
  ...echoes(TOKEN),
]
/** The quoted text of an answer is cut at 300 characters. */
const PER_STEP = 2
const STEPS = Math.ceil(ECHOES.length / PER_STEP)

const asking = (index: number) =>
  `  - { id: s${index}, uses: segments.list, needs: [], continueOnError: true, with: { participantSegmentId: "n${index}" } }\n`
const document = (name: string, rest: string, steps = '') =>
  `version: 1\nname: ${name}\nenv: [${NAMES.join(', ')}]\n${rest}steps:\n${steps}`
/** One secret of each kind in a text of the document. */
const ALL = NAMES.filter((name) => name in KINDS && !MANY.test(name))
  .map((name) => `\${{ env.${name} }}`)
  .join(' or ')
const FAILING = `  - id: hook
    uses: notify.webhook
    needs: []
    continueOnError: true
    with:
      url: "\${{ env.HOOK }}"
      text: "the key \${{ env.KEY }} is here, and ${ALL}"
      body: { note: ["it is \${{ env.KEY }}"], routing: "\${{ env.ROUTING }}" }
  - { id: fail, uses: run.fail, needs: [hook], with: { message: "with \${{ env.KEY }} nothing works, nor ${ALL}" } }
`

async function setUp() {
  const heard: string[] = []
  const server = await scriptedServer(({ url, body }) => {
    if (url.includes('/hook') || url.includes('/channel')) {
      heard.push(body)
      // Where the text is cut.
      return { status: 422, body: `${'x'.repeat(180)} ${url.includes('/hook') ? KEY : url}` }
    }
    const asked = Number(/participantSegmentId=n(\d+)/.exec(url)?.[1])
    if (Number.isNaN(asked)) return { json: { segments: [], page: 0, pageSize: 10, hasMore: false } }
    const said = ECHOES.slice(asked * PER_STEP, (asked + 1) * PER_STEP)
    // One detail in three has its echo where the text is cut.
    const detail = asked % 3 === 0 ? `${'y '.repeat(140)}${said[0]}` : said.join(' and ')
    if (asked % 5 === 4) return { status: 400, body: `<html><p>${said.join('</p><p>')}</p>` }
    return { status: 400, json: asked % 2 === 0 ? { detail } : { errors: [{ message: detail }] } }
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const project = projectIn(tempFolder(), {
    AUDIENCE_BASE_URL: server.url,
    AUDIENCE_TOKEN: TOKEN,
    KEY,
    ...mapValues(KINDS, ({ value }) => value),
    HOOK: `${server.origin}/hook`,
    CHANNEL: `${server.origin}/channel/${WORD}-${WORD}-${WORD}`,
    ROUTING: 'routing-key-0001',
    CONSOLE: 'a-token-of-the-console',
  })
  const { folder } = project
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(
    join(folder, 'audience.yaml'),
    'notify: { channels: { ops: { webhook: { urlEnv: CHANNEL } } } }\nconsole: { tokens: [{ name: t, role: approver, tokenEnv: CONSOLE }] }\n',
  )
  const steps = Array.from({ length: STEPS }, (_, index) => asking(index)).join('')
  const path = (name: string) => join(folder, `pipelines/${name}.yaml`)
  writeFileSync(path('all'), document('all', '', steps + FAILING).replace('env: [KEY,', 'env: [ROUTING, KEY,'))
  writeFileSync(
    path('ask'),
    document(
      'ask',
      '',
      '  - { id: ask, uses: approval.wait, with: { message: "is ${{ env.KEY }} right?", timeout: 300ms } }\n',
    ),
  )
  mkdirSync(join(folder, 'inbox'))
  const watch = '{ path: ../inbox, pattern: "*.csv", settle: 100ms, done: ../done, failed: ../failed }'
  writeFileSync(
    path('drop'),
    document(
      'drop',
      `inputs: { file: { type: file } }
triggers: [{ id: drop, watch: ${watch}, inputs: { file: "\${{ trigger.file }}" } }]
`,
      '  - { id: fail, uses: run.fail, with: { message: "no ${{ env.KEY }} and ${{ env.LINES }}" } }\n',
    ),
  )
  const shown: [string, string][] = []
  const audience = async (...args: string[]) => {
    const ended = await commandLine(args, { cwd: folder, env: project.options.env })
    shown.push([args.join(' '), ended.out + ended.err])
    return ended
  }
  const onTerminal = async (...args: string[]) => {
    const ended = await commandLine(args, { cwd: folder, env: project.options.env, isTTY: true })
    shown.push([`${args.join(' ')} on a terminal`, ended.out + ended.err])
  }
  return { server, project, folder, path, shown, heard, audience, onTerminal }
}

function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files.filter((file) => statSync(file).isFile())
}

test('no part of a value of env or of the token is in what commands write, in web hooks or in the state', async () => {
  const { project, folder, path, shown, heard, audience, onTerminal } = await setUp()
  const debug = ['--log-level', 'debug']
  await audience('run', path('all'), ...debug)
  await audience('run', path('all'), '--json', ...debug)
  await onTerminal('run', path('all'), ...debug)
  for (const format of ['text', 'json', 'markdown']) await audience('plan', path('all'), '--format', format)
  for (const format of ['text', 'json', 'github']) await audience('validate', path('all'), '--format', format)
  const listed = (await audience('runs', 'list', '--json')).out.trim().split('\n')
  const runs = listed.map((line) => (JSON.parse(line) as { runId: string }).runId)
  expect(runs).toHaveLength(3)
  await audience('runs', 'retry', runs[0]!, ...debug)
  await audience('runs', 'retry', runs[1]!, '--json')
  for (const run of runs)
    for (const args of [['show'], ['show', '--json'], ['logs'], ['logs', '--json']])
      await audience('runs', args[0]!, run, ...args.slice(1))
  await audience('run', path('ask'))
  await audience('run', path('ask'), '--json')
  await onTerminal('run', path('ask'))
  const asked = JSON.parse((await audience('runs', 'list', '--json')).out.split('\n')[0]!) as { runId: string }
  await audience('runs', 'show', asked.runId)
  await audience('run', path('ask'), '--detach')
  for (const args of [
    ['status'],
    ['status', '--json'],
    ['audit', 'list'],
    ['audit', 'list', '--json'],
    ['runs', 'list'],
  ])
    await audience(...args)
  // This command reads no document, so the token is the only secret that it knows.
  for (const index of [1, 2, 3]) await audience('api', 'segments.list', '--participantSegmentId', `n${STEPS - index}`)
  await audience('notify', 'test')

  expect(shown.map(([, text]) => text).join('')).toContain('***')
  for (const [command, text] of shown) expect([...traces(text), ...leaks(text)], command).toEqual([])
  expect(heard.length).toBeGreaterThan(3)
  expect(heard[0]).toContain('the key *** is here')
  // A member that contains only a key is meant for the receiver.
  expect(heard[0]).toContain('"routing":"routing-key-0001"')
  for (const body of heard) expect([...traces(body), ...leaks(body)]).toEqual([])
  for (const file of filesIn(join(folder, 'state')))
    expect([...traces(readFileSync(file, 'latin1')), ...leaks(readFileSync(file, 'utf8'))], file).toEqual([])
  expect(project.options.env.AUDIENCE_STATE).toBe(join(folder, 'state'))
})

test('nor in what a daemon logs, answers, streams and sends', async () => {
  const { server, project, folder, shown, heard, audience } = await setUp()
  const daemon = spawnAudience(
    ['start', '--port', '0', '--console-port', '0', '--json', '--log-level', 'debug'],
    project.options,
  )
  onTestFinished(() => kill(daemon).then(() => undefined))
  const ready = JSON.parse((await untilOutput(daemon, /\n/)).split('\n')[0]!) as { url: string; console: string }
  const authorization = { authorization: 'Bearer a-token-of-the-console' }
  const api = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${ready.console}api/v1${path}`, {
      ...init,
      headers: { ...authorization, 'content-type': 'application/json', ...init.headers },
    })
    const text = await answer.text()
    shown.push([path, text])
    return text
  }
  const stream = await fetch(`${ready.console}api/v1/events`, { headers: authorization })
  const streamed: string[] = []
  const reading = (async () => {
    for await (const chunk of stream.body!) streamed.push(Buffer.from(chunk).toString())
  })().catch(() => undefined)
  const started = JSON.parse(await api('/runs', { method: 'POST', body: '{"pipeline":"all"}' })) as { runId: string }
  const waiting = JSON.parse(await api('/runs', { method: 'POST', body: '{"pipeline":"ask"}' })) as { runId: string }
  const path = (id: string) => `/runs/${id}`
  await until(async () => /"status":"failed"/.test(await api(path(started.runId))))
  await until(async () => (await api(`${path(waiting.runId)}/logs`)).includes('right?'))
  writeFileSync(join(folder, 'inbox/list.csv'), 'a,b\n1,2\n')
  await until(() => server.seen.some(({ url }) => url.includes('/channel')))
  await until(() => existsSync(join(folder, 'failed')) && filesIn(join(folder, 'failed')).length > 1)
  for (const id of [started.runId, waiting.runId])
    for (const below of ['', '/logs', '/steps', '/document']) await api(path(id) + below)
  for (const place of [
    '/overview',
    '/runs',
    '/audit',
    '/files',
    '/pipelines',
    '/pipelines/all',
    `/runs/${started.runId}/compare/${waiting.runId}`,
    '/nothing',
  ])
    await api(place)
  await api('/plan', { method: 'POST', body: '{"pipeline":"all"}' })
  for (const place of ['/metrics', '/readyz', '/healthz'])
    shown.push([place, await (await fetch(ready.url + place)).text()])
  await audience('status')
  const { out, err, code } = await kill(daemon, 'SIGTERM')
  await reading
  expect(code).toBe(0)
  shown.push(['output', out], ['log', err], ['stream', streamed.join('')])
  expect(err).toContain('***')
  expect(streamed.join('')).toContain('event: runs')
  for (const [place, text] of shown) expect([...traces(text), ...leaks(text)], place).toEqual([])
  for (const body of heard) expect([...traces(body), ...leaks(body)]).toEqual([])
  for (const file of filesIn(join(folder, 'failed')))
    expect([...traces(readFileSync(file, 'utf8')), ...leaks(readFileSync(file, 'utf8'))], file).toEqual([])
})
