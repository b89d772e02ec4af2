import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { consoleFolder } from '../../config/settings.ts'
import { API_PATH } from '../api/operations.ts'
import { answerApi } from './answer-api.ts'
import { type readTokens, tokenOwners } from './api-tokens.ts'
import type { ApiHandlers } from './call.ts'
import { callerOf } from './caller.ts'
import type { ConsoleDeps } from './console-deps.ts'
import { consoleKey } from './console-key.ts'
import { endedSessions } from './ended-sessions.ts'
import { createEventStreams } from './event-streams.ts'
import { createGuesses } from './guesses.ts'
import { answerLogin } from './login-page.ts'
import { proxyPeople } from './proxy-people.ts'
import { createSessions } from './sessions.ts'
import { createStaticFiles } from './static-files.ts'

export interface ConsoleRequests {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Ends the streams. */
  close(): void
}

/** Answers requests for a known host. */
export function consoleRequests(
  deps: ConsoleDeps,
  { tokens, handlers }: { tokens: ReturnType<typeof readTokens>; handlers: ApiHandlers },
): ConsoleRequests {
  const { settings, clock } = deps
  const { basePath, publicUrl } = settings.console
  const publicPath = publicUrl === undefined ? basePath : new URL(publicUrl).pathname
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const folder = consoleFolder(settings)
  const key = consoleKey(folder)
  const ended = endedSessions(folder, clock.now)
  const sessions = createSessions({ key, path: publicPath, isSecure, now: clock.now, isEnded: ended.has })
  const proxy = proxyPeople(settings.console)
  const ownerOfToken = tokenOwners(tokens)
  const guesses = createGuesses(clock.now)
  const { audit } = deps.state
  const streams = createEventStreams(deps, { isOpen: sessions.isOpen, refresh: ended.refresh })
  const parts = {
    streams,
    sessions,
    ended,
    handlers,
    turn: createTurns(),
    callerOf: (request: IncomingMessage) => callerOf(request, { sessions, proxy, ownerOfToken, guesses, audit }),
  }
  const files = createStaticFiles(deps.bundle, publicPath)
  return {
    async answer(request, response) {
      const url = URL.parse(request.url ?? '', 'http://console.invalid')
      if (!url?.pathname.startsWith(basePath)) {
        const isBase = `${url?.pathname}/` === basePath
        if (isBase) response.writeHead(308, { location: basePath })
        else response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        response.end(isBase ? undefined : `the console is at ${basePath}\n`)
        return
      }
      const path = url.pathname.slice(basePath.length)
      if (path === 'login' && request.method === 'GET')
        return answerLogin(response, url, {
          deps,
          sessions,
          guesses,
          address: proxy.addressOf(request),
          icon: files.icon,
        })
      if (path === API_PATH || path.startsWith(`${API_PATH}/`)) {
        const call = { ...parts, path: path.slice(API_PATH.length), query: url.searchParams }
        return answerApi(request, response, call, deps)
      }
      return files.answer(request, response, path)
    },
    close: () => streams.close(),
  }
}

/**
 * Lets callers continue one after the other, each in its own turn of the event loop. This way, when many requests
 * arrive together, this process can do other work between them.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return async () => {
    last = last.then(() => setImmediate())
    await last
  }
}
