import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { spawnAudience, untilOutput } from '../../support/audience.ts'
import { commandLine } from '../../support/command-line.ts'
import { projectIn } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { DOCUMENTS } from '../documents.ts'
import { send, startConsoleBench } from '../support/console-bench.ts'

async function bench(...args: Parameters<typeof startConsoleBench>) {
  const started = await startConsoleBench(...args)
  onTestFinished(started.stop)
  return started
}

const PROXY = `  proxy: { peers: [127.0.0.0/8], userHeader: X-Forwarded-User, groupsHeader: X-Forwarded-Groups }
  publicUrl: https://tools.example.com/audience/
  roles: { viewer: [bo], operator: [group:data-ops], approver: [ana@example.com] }`

test('a proxy that is listed says who asks, and from where; its public name is answered for', async () => {
  const port = await freePort()
  const console = await bench(DOCUMENTS, { config: PROXY, port })
  expect(console.url).toBe('https://tools.example.com/audience/')
  const me = async (headers: Record<string, string>) => {
    const { status, body } = await send(new URL(`http://127.0.0.1:${port}/api/v1/me`), {
      headers: { host: 'tools.example.com', ...headers },
    })
    return `${status} ${body.code ?? `${body.by} ${body.role} ${body.via}`}`
  }
  expect(await me({ 'x-forwarded-user': 'ana@example.com' })).toBe('200 ana@example.com approver proxy')
  expect(await me({ 'x-forwarded-user': 'cem', 'x-forwarded-groups': 'all, data-ops' })).toBe('200 cem operator proxy')
  expect(await me({ 'x-forwarded-user': 'bo', 'x-forwarded-groups': 'all' })).toBe('200 bo viewer proxy')
  // A user name does not count as a group, nor a group as a user name.
  expect(await me({ 'x-forwarded-user': 'group:data-ops' })).toBe('403 no-role')
  expect(await me({ 'x-forwarded-user': 'dee' })).toBe('403 no-role')
  expect(await me({})).toBe('401 no-session')
  expect(await me({ host: 'other.example.com', 'x-forwarded-user': 'bo' })).toBe('421 undefined undefined undefined')
})

test('without a listed peer, headers of a proxy say nothing; read only, everybody looks and nobody acts', async () => {
  const config = PROXY.replace('127.0.0.0/8', '10.0.0.5').replace(/.*publicUrl.*\n/, '')
  const console = await bench(DOCUMENTS, { config: `${config}\n  readOnly: true` })
  const asked = await console.ask('api/v1/me', { headers: { 'x-forwarded-user': 'ana@example.com' } })
  expect([asked.status, asked.body.code]).toEqual([401, 'no-session'])
  expect((await console.as('viewer', 'overview')).status).toBe(200)
  const { status, body } = await console.post('approver', 'runs', { pipeline: 'ask' })
  expect([status, body.code]).toEqual([403, 'read-only'])
  const { entries } = (await console.as('viewer', 'audit')).body
  expect(entries).toMatchObject([{ by: 'the approver', act: 'run.start', outcome: 'read-only' }])
})

test('a token that is missing or short, and a port that is in use, keep audience start from beginning', async () => {
  const { folder, options } = projectIn(tempFolder(), { VIEWER_TOKEN: 'short' })
  const write = (text: string) => writeFileSync(join(folder, 'audience.yaml'), text)
  const start = async (...args: string[]) => {
    const { code, err } = await commandLine(['start', '--port', '0', ...args], options)
    return `${code} ${err}`
  }
  const pipelines = `pipelines: ${folder}\n`
  write(`${pipelines}console: { tokens: [{ name: ci, role: viewer, tokenEnv: VIEWER_TOKEN }] }\n`)
  expect(await start()).toMatch(/^3 .*no token "ci" for the console: .*fewer than 16 characters/s)
  write(`${pipelines}console: { tokens: [{ name: ci, role: viewer, tokenFile: none.txt }] }\n`)
  expect(await start()).toMatch(/^3 .*none\.txt cannot be read \(ENOENT\)/s)
  write(`${pipelines}console: { tokens: [{ name: ci, role: admin, tokenEnv: A, tokenFile: b }], publicUrl: tools }\n`)
  expect(await start()).toMatch(/^3 .*audience\.yaml has [23] errors/s)
  write(pipelines)
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  expect(await start('--console-port', String(port))).toMatch(/^1 .*for the console, is in use by another program/s)
})

test('--no-console leaves it out, and nothing of it is loaded', async () => {
  const loaded = async (...args: string[]) => {
    const { folder, options } = projectIn(tempFolder())
    const file = join(folder, 'loaded.txt')
    writeFileSync(join(folder, 'audience.yaml'), `pipelines: ${folder}\n`)
    const hook = `import { appendFileSync } from 'node:fs'
      import { registerHooks } from 'node:module'
      registerHooks({ load: (url, context, next) => {
        const result = next(url, context)
        appendFileSync(${JSON.stringify(file)}, String(result.source ?? ''))
        return result
      } })`
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
    const daemon = spawnAudience(['start', '--port', '0', '--json', ...args], { ...options, nodeArgs })
    const [line = ''] = (await untilOutput(daemon, /\n/)).split('\n')
    const ended = daemon.ended
    const ready = JSON.parse(line) as { console?: string }
    const command = await commandLine(['console', '--json'], options)
    daemon.kill('SIGTERM')
    await ended
    return { ready, command, text: readFileSync(file, 'utf8') }
  }
  // A text that only the code of the console's listener contains, and one that only its API contains.
  const [listener, api] = ['for the console, is in use', 'List who did what, newest first']
  const without = await loaded('--no-console')
  expect(without.ready).not.toHaveProperty('console')
  expect(without.command).toMatchObject({ code: 2, err: expect.stringContaining('has no console') as string })
  expect([without.text.includes(listener), without.text.includes(api), without.text.length > 1000]).toEqual([
    false,
    false,
    true,
  ])
  const open = await loaded('--console-port', '0')
  expect(open.ready.console).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  // Nobody has sent a request yet.
  expect([open.text.includes(listener), open.text.includes(api)]).toEqual([true, false])
})

test('without audience start there is no link, and that is said', async () => {
  const { code, err } = await commandLine(['console'], projectIn(tempFolder()).options)
  expect(code).toBe(2)
  expect(err).toContain('there is no console, because audience start is not running')
})

test('who guesses tokens is stopped after ten, and the audit log tells of it; programs with a token go on', async () => {
  const console = await bench(DOCUMENTS)
  expect((await console.as('viewer', 'me')).status).toBe(200)
  const guess = async (index: number) =>
    (await console.ask('api/v1/me', { headers: { authorization: `Bearer guess-of-a-token-${index}` } })).status
  const statuses: number[] = []
  for (let index = 0; index < 300; index += 1) statuses.push(await guess(index))
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.slice(10).every((status) => status === 429)).toBe(true)
  const refused = await console.as('operator', 'me')
  expect([refused.status, refused.body.code]).toEqual([429, 'too-many-guesses'])
  const { entries } = (await console.as('viewer', 'audit')).body
  expect(entries).toMatchObject(
    Array(2).fill({ act: 'console.guess', by: 'unknown', address: '127.0.0.1', outcome: 'bad-token' }),
  )
})

test('a browser that another server of the host gave too many cookies learns what to do', async () => {
  const console = await bench(DOCUMENTS)
  const cookie = Array.from({ length: 45 }, (_, index) => `tossed${index}=${'x'.repeat(4000)}`).join('; ')
  const { status, text } = await console.ask('', { headers: { cookie } })
  expect([status, text]).toEqual([431, expect.stringContaining('remove the cookies of this host')])
  expect((await console.ask('')).status).toBe(200)
})
