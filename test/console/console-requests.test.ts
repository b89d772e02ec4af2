import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApiHandlers } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { consoleRequests } from '../../src/console/server/console-requests.ts'
import { makeLoginToken } from '../../src/console/server/login-links.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The answers of a console with its own state folder. */
function consoleAt(address: { readonly basePath?: string; readonly publicUrl?: string }) {
  const shared = tempFolder()
  const { answer } = consoleRequests(
    {
      settings: { shared, console: { basePath: '/', ...address } },
      state: { audit: { add: async () => undefined }, runs: {} },
      clock: { now: Date.now },
      bundle: join(shared, 'none'),
    } as unknown as ConsoleDeps,
    { tokens: [], handlers: {} as ApiHandlers },
  )
  const get = async (url: string, method = 'GET') => {
    const headers = new Map<string, unknown>()
    let answered = 0
    const response = {
      setHeader: (name: string, value: string) => void headers.set(name, value),
      writeHead(status: number, more: object = {}) {
        answered = status
        for (const [name, value] of Object.entries(more)) headers.set(name, value)
        return response
      },
      end: () => undefined,
    }
    const request = { url, method, headers: {}, socket: { remoteAddress: '127.0.0.1' } }
    await answer(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    return { status: answered, headers }
  }
  return { get, token: () => makeLoginToken(join(shared, 'console'), { by: 'ana', now: Date.now() }) }
}

test.each([
  [{ publicUrl: 'https://tools.example/audience/' }, '; Path=/audience/; HttpOnly; SameSite=Strict; Secure'],
  [{ publicUrl: 'http://tools.example/audience/' }, '; Path=/audience/; HttpOnly; SameSite=Strict'],
  [{ basePath: '/audience/' }, '; Path=/audience/; HttpOnly; SameSite=Strict'],
])(
  'the cookie of a session at %j is for its path, for no script, and for HTTPS alone if that is there',
  async (address, ends) => {
    const { get, token } = consoleAt(address)
    const { basePath = '/' } = address as { basePath?: string }
    const { status, headers } = await get(`${basePath}login?token=${token()}`)
    expect([status, String(headers.get('set-cookie')).replace(/.*Max-Age=\d+/, '')]).toEqual([200, ends])
  },
)

test('a path beside that of the console is not its own, and the path without its slash leads there', async () => {
  const { get } = consoleAt({ basePath: '/audience/' })
  expect((await get('/elsewhere/login')).status).toBe(404)
  const { status, headers } = await get('/audience')
  expect([status, headers.get('location')]).toEqual([308, '/audience/'])
  expect((await get('/audience/login')).status).toBe(403)
})

test('what is no address is not below the console, and only a GET asks for its login page', async () => {
  const { get } = consoleAt({ basePath: '/audience/' })
  expect((await get('http://[')).status).toBe(404)
  expect((await get('/audience/login', 'POST')).status).not.toBe(403)
})
