import type { ServerResponse } from 'node:http'
import { consoleFolder } from '../../config/settings.ts'
import { guessed } from './caller.ts'
import type { ConsoleDeps } from './console-deps.ts'
import type { Guesses } from './guesses.ts'
import { useLoginToken } from './login-links.ts'
import type { Sessions } from './sessions.ts'

/**
 * Begins a session for the holder of a one-time URL. The response is a page that opens the console, not a redirect,
 * because after a redirect from another program or page, the browser would not send the new cookie.
 */
export async function answerLogin(
  response: ServerResponse,
  url: URL,
  from: {
    deps: ConsoleDeps
    sessions: Sessions
    guesses: Guesses
    address: string
    /** The HTML element that names the icon. */
    icon: string
  },
): Promise<void> {
  const { deps, sessions, guesses, address, icon } = from
  const { settings, state, clock } = deps
  const token = url.searchParams.get('token') ?? ''
  const found = useLoginToken(consoleFolder(settings), token, clock.now())
  const role = 'approver'
  const act = { act: 'console.login', subject: 'console', address } as const
  if (found) await state.audit.add({ ...act, by: found.by, role, outcome: 'done' })
  else if (guesses.wasWrong(address, token)) await state.audit.add(guessed(address, 'bad-link'))
  const session = found && sessions.begin({ by: found.by, role })
  if (session) response.setHeader('set-cookie', session.cookie)
  response.writeHead(found ? 200 : 403, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  // A browser never sends a fragment to a server. The page keeps the fragment and removes it from the address.
  const next = `./#session=${session?.half}`
  const [title, head, body] = session
    ? [
        'Audience',
        `<meta http-equiv="refresh" content="0; url=${next}">`,
        `<a href="${next}">Continue to the console</a>`,
      ]
    : [
        'This link does not work',
        '',
        'A link works only once, and expires after ten minutes. Make another: <code>audience console</code>',
      ]
  response.end(page(title, `${icon}${head}`, body))
}

function page(title: string, head: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${head}<h1>${title}</h1><p>${body}</p></html>\n`
}
