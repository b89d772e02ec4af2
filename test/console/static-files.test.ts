import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createStaticFiles } from '../../src/console/server/static-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A console whose client has one page and one file. */
function files() {
  const bundle = tempFolder()
  mkdirSync(join(bundle, 'assets'))
  writeFileSync(join(bundle, 'index.html'), '<link rel="icon" href="x"><base href="__BASE__">')
  writeFileSync(join(bundle, 'assets/main-1a2b.js'), 'run()')
  writeFileSync(join(bundle, 'assets/main-1a2b.exe'), 'no')
  const { answer, icon } = createStaticFiles(bundle, '/audience/')
  const asked = async (path: string, method = 'GET', headers: object = {}) => {
    const sent: { status?: number; headers?: Record<string, unknown>; body?: Buffer | string } = {}
    const response = {
      writeHead: (status: number, its = {}) => Object.assign(sent, { status, headers: its }),
      end: (body?: Buffer) => Object.assign(sent, { body }),
    }
    await answer({ method, headers } as unknown as IncomingMessage, response as unknown as ServerResponse, path)
    return sent
  }
  return { asked, icon }
}

test('a file of the client is kept for ever, a page is asked for anew, and what is not there is said so', async () => {
  const { asked, icon } = files()
  expect(icon).toBe('<link rel="icon" href="x">')
  const file = await asked('assets/main-1a2b.js')
  expect([file.status, String(file.body)]).toEqual([200, 'run()'])
  expect(file.headers).toMatchObject({ 'content-length': 5, 'cache-control': expect.stringContaining('immutable') })
  for (const path of ['', 'runs/r1', 'assets/']) {
    const page = await asked(path)
    expect(String(page.body)).toContain('<base href="/audience/">')
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache' })
  }
  for (const path of ['assets/gone-1a2b.js', 'assets/gone-1a2b.js', 'assets/main-1a2b.exe'])
    expect((await asked(path)).status).toBe(404)
})

test('it is packed for who can unpack it; a HEAD gets no body, and a write is refused', async () => {
  const { asked } = files()
  const packed = await asked('assets/main-1a2b.js', 'GET', { 'accept-encoding': 'br, gzip' })
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': packed.body?.length })
  expect(String(gunzipSync(packed.body as Buffer))).toBe('run()')
  const head = await asked('assets/main-1a2b.js', 'HEAD')
  expect([head.status, head.body, head.headers?.['content-length']]).toEqual([200, undefined, 5])
  expect((await asked('', 'POST')).status).toBe(405)
})
