import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { S3Source } from '../../../src/remote/s3/s3-source.ts'
import { remoteSourceSuite } from '../../contract/remote-source-suite.ts'
import { forwardProxy } from '../../support/forward-proxy.ts'
import { remoteBucket } from '../../support/remote-bucket.ts'
import { configOf, envOf } from '../../support/s3-server/config.ts'
import { type S3Server, startS3Server } from '../../support/s3-server/s3-server.ts'

const signal = AbortSignal.timeout(600_000)
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

remoteSourceSuite('S3', async () => {
  const server = await startS3Server()
  return {
    ...remoteBucket(server),
    open: () => new S3Source(configOf(server), { clock: systemClock, env: envOf(server) }),
    cut: async () => server.cut(),
    remove: () => server.stop(),
  }
})

async function started(options: Parameters<typeof startS3Server>[0] = {}): Promise<S3Server> {
  const server = await startS3Server(options)
  ends.push(() => server.stop())
  return server
}

function opened(server: S3Server, config: Partial<ReturnType<typeof configOf>> = {}, env = envOf(server)) {
  const source = new S3Source({ ...configOf(server), ...config }, { clock: systemClock, env })
  ends.push(() => source.close())
  return source
}

async function found(source: S3Source, path: string) {
  const file = await source.look(path, { signal })
  if (!file) throw new Error(`there is no ${path}`)
  return file
}

const TO = { folder: 'done', name: 'a.csv', ticket: '1-abc', signal } as const

test('a store that ignores the condition of a delete moves and removes nothing, and it is said before anything is copied', async () => {
  const server = await started({ ignoresConditionsOfDelete: true })
  server.bucket.put('in/a.csv', Buffer.from('abc'))
  const source = opened(server)
  const file = await found(source, 'in/a.csv')
  const refused = { code: 'source-read-only', hint: expect.stringContaining('done: keep') }
  await expect(source.move(file, TO)).rejects.toMatchObject(refused)
  await expect(source.remove(file, { signal })).rejects.toMatchObject(refused)
  expect(server.bucket.keys).toEqual(['in/a.csv'])
  expect(await source.tag(file, { key: 'audience', value: 'done', signal })).toBe(true)
})

test('such a store is safe with versions: exactly the version that was read goes, and a newer one stays', async () => {
  const server = await started({ ignoresConditionsOfDelete: true, isVersioned: true })
  server.bucket.put('in/a.csv', Buffer.from('abc'))
  server.bucket.put('in/b.csv', Buffer.from('abc'))
  const source = opened(server)
  expect(await source.move(await found(source, 'in/a.csv'), TO)).toBe('done/a.csv')
  const file = await found(source, 'in/b.csv')
  server.disturb((request) => {
    if (request.method === 'DELETE') server.bucket.put('in/b.csv', Buffer.from('new'))
    return false
  })
  expect(await source.remove(file, { signal })).toBe(true)
  expect(String(server.bucket.current('in/b.csv')?.content)).toBe('new')
  // The check whether conditions work has left nothing behind.
  expect(server.bucket.keys).toEqual(['done/a.csv', 'in/b.csv'])
})

test('a file that changes between its copy and its delete stays, and its copy goes', async () => {
  const server = await started()
  server.bucket.put('in/a.csv', Buffer.from('abc'))
  const source = opened(server)
  const file = await found(source, 'in/a.csv')
  server.disturb((request) => {
    if (request.method === 'DELETE' && request.url?.includes('/in/a.csv'))
      server.bucket.put('in/a.csv', Buffer.from('new'))
    return false
  })
  await expect(source.move(file, TO)).rejects.toMatchObject({ code: 'source-file-changed' })
  expect(server.bucket.keys).toEqual(['in/a.csv'])
})

test('a move that was killed after its copy is finished by the next one, with one copy', async () => {
  const server = await started()
  server.bucket.put('in/a.csv', Buffer.from('abc'))
  const source = opened(server)
  const file = await found(source, 'in/a.csv')
  const stop = new AbortController()
  server.disturb((request) => {
    if (request.method === 'DELETE' && request.url?.includes('/in/a.csv')) stop.abort(new Error('killed'))
    return stop.signal.aborted
  })
  await expect(source.move(file, { ...TO, signal: stop.signal })).rejects.toThrow('killed')
  expect(server.bucket.keys).toEqual(['done/a.csv', 'in/a.csv'])
  server.disturb(undefined)
  expect(await source.move(file, TO)).toBe('done/a.csv')
  expect(server.bucket.keys).toEqual(['done/a.csv'])
})

test('a tag is added to those that are there', async () => {
  const server = await started({ isVersioned: true })
  const version = server.bucket.put('in/a.csv', Buffer.from('abc'), {
    tags: new Map([
      ['team', 'x & <y>'],
      ['audience', 'new'],
    ]),
  })
  const source = opened(server)
  await source.tag(await found(source, 'in/a.csv'), { key: 'audience', value: 'done', signal })
  expect([...version.tags]).toEqual([
    ['team', 'x & <y>'],
    ['audience', 'done'],
  ])
})

test('a key that is wrong, or not there, is named, and its secret is in no message', async () => {
  const server = await started()
  const wrong = opened(server, {}, { DROPS_ID: server.keys.accessKeyId, DROPS_KEY: 'not-the-word' })
  const error = await wrong.describe(signal).catch((each: unknown) => each)
  expect(error).toMatchObject({
    code: 'source-access-refused',
    message: expect.stringMatching(
      /^the folder \. cannot be listed: the bucket drops at 127\.0\.0\.1:\d+ says "SignatureDoesNotMatch"$/,
    ),
  })
  expect(JSON.stringify([error, (error as Error).stack, (error as Error).cause])).not.toContain('not-the-word')
  await expect(opened(server, {}, { DROPS_ID: 'an-id', DROPS_KEY: '' }).describe(signal)).rejects.toMatchObject({
    code: 'source-access-refused',
    hint: 'set DROPS_KEY',
  })
})

test('another bucket, another region, nobody who listens and no authority are told apart', async () => {
  const server = await started()
  const code = async (config: Parameters<typeof opened>[1]) =>
    opened(server, config)
      .describe(signal)
      .catch((error: { readonly code?: string }) => error.code)
  expect(await code({ bucket: 'other' })).toBe('source-folder-missing')
  expect(await code({ region: 'eu-north-1' })).toBe('source-access-refused')
  expect(await code({ endpoint: 'http://127.0.0.1:1' })).toBe('source-unreachable')
  expect(await code({ caFile: '/nowhere' })).toBe('source-access-refused')
})

test('the proxy of the environment is used, by the rules that hold for services', async () => {
  const server = await started()
  await using proxy = await forwardProxy()
  const env = { ...envOf(server), http_proxy: proxy.url }
  await opened(server, {}, env).describe(signal)
  await opened(server, {}, { ...env, no_proxy: '127.0.0.0/8' }).describe(signal)
  expect(proxy.asked).toEqual([expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/drops\/\?/)])
})

test('the SDK is loaded with the first call, and where it is missing the message has the command that installs it', async () => {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === '@aws-sdk/client-s3') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(specifier, context)
    } })`
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/remote/s3/s3-source.ts')).href
  const program = `const { S3Source } = await import('${module}')
    const source = new S3Source({ kind: 's3', bucket: 'drops', region: 'eu-west-1', pathStyle: false }, { env: {} })
    console.log('made')
    await source.look('a', { signal: new AbortController().signal }).catch(({ code, hint }) => console.log(code, hint))
    await source.close()`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toBe('made\npackage-missing npm install @aws-sdk/client-s3\n')
})
