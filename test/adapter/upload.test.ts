import { createHash } from 'node:crypto'
import { mkdtemp, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Reply, rawServer, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const BUCKET = { uploadSignal: 'EMAIL', resultContent: 'BGID' } as const
const stored: Reply = { json: { name: 'a.csv' } }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audience-upload-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(name: string, content: string | { bytes: number }): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : '')
  if (typeof content !== 'string') await truncate(path, content.bytes)
  return path
}

/** The only part of a multipart body. */
function partOf({ headers, body }: { headers: Record<string, unknown>; body: string }) {
  const boundary = /boundary=(\S+)$/.exec(String(headers['content-type']))?.[1]
  const [before, part, after] = body.split(`--${boundary}`)
  expect([before, after]).toEqual(['', '--\r\n'])
  const [head = '', ...content] = part!.split('\r\n\r\n')
  return { head, content: content.join('\r\n\r\n').slice(0, -2) }
}

test('a file goes as one named part with an exact length, its bucket in the query (decisions 105, 106, 8)', async () => {
  const file = await fileOf('plain.csv', 'email\na@example.com\n')
  await using server = await scriptedServer([stored])
  await using client = testClient(server.url)
  expect(await client.api.files.upload({ file, ...BUCKET }, { uploadName: 'a-1f.csv' })).toEqual({ name: 'a.csv' })
  const seen = server.seen[0]!
  expect(seen.url).toBe('/p/1001/api/files?uploadSignal=EMAIL&resultContent=BGID')
  expect(Number(seen.headers['content-length'])).toBe(Buffer.byteLength(seen.body))
  expect(partOf(seen)).toEqual({
    head: '\r\ncontent-disposition: form-data; name="file"; filename="a-1f.csv"\r\ncontent-type: text/csv',
    content: 'email\na@example.com\n',
  })
})

test.each([
  ['Käufer €.csv', 'Käufer €.csv'],
  ['a"b.csv', 'a%22b.csv'],
  ['a\r\nb.csv', 'a%0D%0Ab.csv'],
])('the name %j is sent as %j', async (uploadName, sent) => {
  const file = await fileOf('plain.csv', 'x')
  await using server = await scriptedServer([stored])
  await using client = testClient(server.url)
  await client.api.files.upload({ file, ...BUCKET }, { uploadName })
  expect(partOf(server.seen[0]!).head).toContain(`filename="${sent}"\r\n`)
})

test('an empty file can be sent, and is sent under its own name', async () => {
  const file = await fileOf('empty.csv', '')
  await using server = await scriptedServer([stored])
  await using client = testClient(server.url)
  await client.api.files.upload({ file, ...BUCKET })
  expect(partOf(server.seen[0]!)).toMatchObject({ head: expect.stringContaining('filename="empty.csv"'), content: '' })
})

test('a lost upload is sent again whole, under the same name, and progress starts again', async () => {
  const content = 'x'.repeat(700_000)
  const file = await fileOf('big.csv', content)
  await using server = await scriptedServer(['reset', { status: 500 }, { status: 401 }, stored])
  await using client = testClient(server.url)
  const progress: [number, number][] = []
  await client.api.files.upload(
    { file, ...BUCKET },
    { uploadName: 'same.csv', onSent: (sent, total) => progress.push([sent, total]) },
  )
  expect(server.seen.map((seen) => partOf(seen))).toEqual(
    Array(4).fill({ head: expect.stringContaining('"same.csv"'), content }),
  )
  expect(progress.filter(([sent]) => sent === content.length)).toEqual(Array(4).fill([content.length, content.length]))
})

test.each([
  [157_286_401, 'file-too-large'],
  [157_286_400, undefined],
])('a file of %i bytes is refused before it is sent: %s (decision 107)', async (bytes, code) => {
  const file = await fileOf('limit.csv', { bytes })
  let received = 0
  await using server = await scriptedServer([
    (request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length
      })
      request.on('end', () => response.end('{"name":"a"}'))
    },
  ])
  await using client = testClient(server.url)
  const error = await client.api.files.upload({ file, ...BUCKET }).catch((reason: unknown) => reason)
  if (code) expect([error, received]).toEqual([expect.objectContaining({ code }), 0])
  else {
    expect(received).toBeGreaterThan(bytes)
    expect(client.logs).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringContaining('157,286,400 bytes') }),
    ])
  }
})

test.each([400, 413])('an answer %i while still sending is the answer (decision 108)', async (status) => {
  const file = await fileOf('early.csv', { bytes: 60_000_000 })
  await using server = await scriptedServer([
    (request, response) => {
      request.once('data', () => response.writeHead(status, { connection: 'close' }).end('{"detail":"too large"}'))
    },
  ])
  await using client = testClient(server.url)
  await expect(client.api.files.upload({ file, ...BUCKET })).rejects.toMatchObject({
    message: `POST /api/files was rejected: ${status} too large`,
  })
})

test('a service that answers and hangs up without reading is understood within the attempts (decision 108)', async () => {
  const file = await fileOf('pipe.csv', { bytes: 60_000_000 })
  await using server = await rawServer((socket) => {
    socket.once('data', () => {
      const body = '{"detail":"too large"}'
      socket.write(
        `HTTP/1.1 413 Payload Too Large\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
      socket.destroySoon()
    })
  })
  await using client = testClient(server.url)
  const error = await client.api.files.upload({ file, ...BUCKET }).catch((reason: unknown) => reason)
  expect(String(error)).toContain('413 too large')
})

test('a file that changes while it is sent is not completed (decision 114)', async () => {
  const file = await fileOf('growing.csv', { bytes: 4_000_000 })
  await using server = await scriptedServer([
    (request) => {
      request.resume()
    },
  ])
  await using client = testClient(server.url)
  let grown = false
  const upload = client.api.files.upload(
    { file, ...BUCKET },
    {
      onSent: () => {
        if (!grown) truncate(file, 5_000_000)
        grown = true
      },
    },
  )
  await expect(upload).rejects.toMatchObject({ code: 'file-changed' })
})

const JUDGED = 'email\na@example.com\n'

/** Uploads a file. The first attempt is lost, and `change` replaces the file before the second. */
async function afterChange(name: string, change: (file: string, modified: Date) => Promise<void>) {
  const file = await fileOf(name, JUDGED)
  await utimes(file, 1_700_000_000, 1_700_000_000)
  const { mtime, mtimeMs, size } = await stat(file)
  const bodies: string[] = []
  await using server = await scriptedServer([
    async (request) => {
      await change(file, mtime)
      request.socket.destroy()
    },
    (request, response) => {
      request.setEncoding('utf8')
      request.on('data', (text: string) => bodies.push(text))
      request.on('end', () => response.end('{"name":"a"}'))
    },
  ])
  await using client = testClient(server.url)
  const content = { bytes: size, modifiedMs: mtimeMs, sha256: createHash('sha256').update(JUDGED).digest('hex') }
  const options = { uploadName: 'a.csv', uploadContent: content }
  const end = await client.api.files.upload({ file, ...BUCKET }, options).catch((reason: unknown) => reason)
  return { end, sent: bodies.join('') }
}

test.each([
  ['other people', (file: string) => writeFile(file, 'email\nb@example.com\n')],
  ['more people', (file: string) => writeFile(file, `${JUDGED}b@example.com\n`)],
  ['nobody', (file: string) => truncate(file, 6)],
])('a file that holds %s when it is sent again is not sent', async (_, change) => {
  const { end, sent } = await afterChange('again.csv', change)
  expect([end, sent]).toEqual([expect.objectContaining({ code: 'file-changed' }), ''])
})

test('a file whose writer sets its time back is not completed (decision 114)', async () => {
  const { end, sent } = await afterChange('back.csv', async (file, modified) => {
    await writeFile(file, 'email\nb@example.com\n')
    await utimes(file, modified, modified)
  })
  expect(end).toMatchObject({ code: 'file-changed' })
  expect(sent).not.toMatch(/--\r\n$/)
})

test('a file that is sent again as it was is complete', async () => {
  const { end, sent } = await afterChange('same.csv', async () => {})
  expect(end).toEqual({ name: 'a' })
  expect(sent).toContain(JUDGED)
})

test('a file that is not there is an error that names it', async () => {
  await using client = testClient('http://127.0.0.1:1')
  const upload = client.api.files.upload({ file: join(folder, 'none.csv'), ...BUCKET })
  await expect(upload).rejects.toMatchObject({
    code: 'file-unreadable',
    message: expect.stringContaining('none.csv cannot be read: ENOENT'),
  })
})

test('an upload that is stopped half way has not happened (decision 114)', async () => {
  const file = await fileOf('stopped.csv', { bytes: 40_000_000 })
  await using server = await scriptedServer([() => {}])
  await using client = testClient(server.url)
  const abort = new AbortController()
  const options = { signal: abort.signal, onSent: () => abort.abort() }
  const error = await client.api.files.upload({ file, ...BUCKET }, options).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'aborted', request: { outcome: 'notSent' } })
})
