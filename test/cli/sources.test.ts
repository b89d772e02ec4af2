import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { checkSources } from '../../src/cli/sources/check.ts'
import { withoutSecrets } from '../../src/cli/terminal.ts'
import { hasSshd, startSshd } from '../remote/sftp/sshd.ts'
import { commandLine } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'
import { remoteFolder } from '../support/remote-folder.ts'
import { configOf, envOf } from '../support/s3-server/config.ts'
import { startS3Server } from '../support/s3-server/s3-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const pipeline = (name: string, watch: string) =>
  `version: 1\nname: ${name}\ntriggers: [{ id: drop, watch: { ${watch} } }]\nsteps: [{ id: list, uses: groups.list }]\n`
const MOVES = 'done: { move: done }, failed: { move: failed }'
const KEEPS = 'done: keep, failed: keep'

/** A project with these sources and documents, and a function that runs `audience sources …` in it. */
function project(
  sources: object,
  documents: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  writeFileSync(join(cwd, 'audience.yaml'), JSON.stringify({ sources }))
  for (const [name, watch] of Object.entries(documents))
    writeFileSync(join(cwd, `pipelines/${name}.yaml`), pipeline(name, watch))
  return { cwd, type: (...args: string[]) => commandLine(['sources', ...args], { cwd, env }) }
}

async function bucket() {
  const server = await startS3Server()
  onTestFinished(() => server.stop())
  const { kind: _, keys, ...its } = configOf(server)
  return { bucket: server.bucket, s3: { ...its, ...keys }, env: envOf(server) }
}

test('a bucket is listed and not touched', async () => {
  const { bucket: there, s3, env } = await bucket()
  for (const key of ['in/a.csv', 'in/b.csv', 'in/no.txt', 'other/c.csv']) there.put(key, Buffer.from('x'))
  const watch = `source: lake, path: "in/*.csv", ${MOVES}`
  const { cwd, type } = project({ lake: { s3 }, unused: { s3 } }, { nightly: watch }, env)
  const at = new URL(s3.endpoint ?? '').host
  expect(await type('check')).toMatchObject({
    code: 0,
    out:
      `lake: bucket drops at ${at} ok, 2 files; the first move will show whether files may be moved\n` +
      `unused: bucket drops at ${at} ok; no trigger watches it\n`,
  })
  expect(JSON.parse((await type('check', 'lake', '--json')).out)).toEqual({
    ...{ source: 'lake', ok: true, description: `bucket drops at ${at} ok`, moves: true },
    watches: [{ pipeline: 'nightly', trigger: 'drop', path: 'in/*.csv', files: 2, unusable: 0 }],
  })
  expect(there.keys).toHaveLength(4)
  expect(existsSync(join(cwd, '.audience'))).toBe(false)
})

test('an SFTP server is named with its program and its host key', async ({ skip }) => {
  skip(!hasSshd)
  const server = await startSshd()
  onTestFinished(() => server.stop())
  const { put, names } = remoteFolder(server.root)
  for (const path of ['in/a.csv', 'in/b.csv', 'other/c.csv']) await put(path, 'x')
  mkdirSync(join(server.root, 'in/folder.csv'))
  const { kind: _, ...sftp } = server.config
  const documents = {
    a: `source: partner, path: "in/*.csv", ${KEEPS}`,
    b: `source: partner, path: "other/*", ${KEEPS}`,
  }
  const { type } = project({ partner: { sftp } }, documents)
  const { code, out } = await type('check', 'partner')
  expect(out).toMatch(
    /^partner: OpenSSH_[\d.]+, host key SHA256:\S+ ok, 3 files \(a\/drop 2, b\/drop 1\); 1 matching name is not taken: [^;\n]+\n$/,
  )
  expect(code).toBe(0)
  expect(await names('in')).toEqual(['a.csv', 'b.csv', 'folder.csv'])
  await server.changeHostKey()
  expect(await type('check', '--json')).toMatchObject({ code: 4, out: expect.stringContaining('"source-host-key"') })
})

test('what is wrong with one source is said of each, and 4 goes before 1', async () => {
  const { s3, env } = await bucket()
  const gone = { ...s3, endpoint: `http://127.0.0.1:${await freePort()}` }
  const none = { ...s3, bucket: 'none' }
  const watch = `source: none, path: "in/*.csv", ${KEEPS}`
  const { type } = project({ none: { s3: none }, gone: { s3: gone } }, { nightly: watch }, env)
  const { code, out } = await type('check')
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^none: there is no .* \[source-folder-missing\]; check bucket/),
    expect.stringMatching(/^gone: .* \[source-unreachable\]; check the network/),
    '',
  ])
  expect(code).toBe(4)
  expect(await type('check', 'none')).toMatchObject({ code: 1 })
})

test('only sources on other machines are checked, and a typing error is noticed', async () => {
  const { s3 } = await bucket()
  const { type } = project({ crm: { path: 'crm.csv' }, lake: { s3 } }, {})
  expect(await type('check', 'lakes')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean lake?') })
  expect(await type('check', 'crm')).toMatchObject({ code: 2, err: expect.stringContaining('is on this machine') })
  expect(await project({ crm: { path: 'crm.csv' } }, {}).type('check')).toMatchObject({
    code: 0,
    out: 'audience.yaml has no source on another machine\n',
  })
})

test('the list has all sources, without the arguments of commands, and connects to nobody', async () => {
  const sftp = { host: 'sftp.example.com', port: 2222, user: 'acme', keyFile: 'key', knownHosts: 'known_hosts' }
  const sources = { partner: { sftp }, crm: { command: ['fetch', '--key=hush', '{out}'] } }
  const { type } = project(sources, { nightly: `source: partner, path: "in/*.csv", ${KEEPS}` })
  const { code, out } = await type('list', '--json')
  expect(code).toBe(0)
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      ...{ source: 'partner', kind: 'sftp', place: 'acme@sftp.example.com:2222' },
      watches: [{ pipeline: 'nightly', trigger: 'drop', path: 'in/*.csv' }],
    },
    { source: 'crm', kind: 'command', place: 'fetch', watches: [] },
  ])
  expect((await type('list')).out).toContain('nightly/drop')
})

test('a check that takes more than a second says so, and ends when it is interrupted', async () => {
  const { s3, env } = await bucket()
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { cwd } = project({ lake: { s3: { ...s3, endpoint } } }, {})
  const interrupted = Promise.withResolvers<() => void>()
  let err = ''
  const stream = (add: (text: string) => void) => ({ write: add }) as unknown as NodeJS.WriteStream
  const { clock } = systemSurroundings
  // Timers of one second ring immediately.
  const timer = (ms: number, ring: () => void) => clock.timer(ms === 1000 ? 0 : ms, ring)
  const done = checkSources(
    [],
    {},
    withoutSecrets({
      ...{ env, cwd, whenUnread: () => undefined },
      out: stream(() => undefined),
      err: stream((text) => {
        err += text
      }),
      surroundings: { ...systemSurroundings, clock: { ...clock, timer } },
      onInterrupt(listener) {
        interrupted.resolve(listener)
        return () => undefined
      },
    }),
  )
  await expect.poll(() => err).toBe('lake: looking …\n')
  ;(await interrupted.promise)()
  await expect(done).rejects.toMatchObject({ kind: 'interrupted' })
})
