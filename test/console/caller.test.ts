import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { actorOfCaller, callerOf } from '../../src/console/server/caller.ts'
import type { OpenSession } from '../../src/console/server/sessions.ts'

const SESSION = { by: 'sue', role: 'operator', content: 'c', began: 0, until: 9 } satisfies OpenSession
const PEOPLE = { none: undefined, ana: { by: 'ana', role: 'approver' }, dee: { by: 'dee', role: undefined } } as const

interface Asked {
  readonly token?: string
  readonly person?: keyof typeof PEOPLE
  readonly cookie?: string
  readonly half?: string | string[]
}

/**
 * The parts that decide who a caller is, and the calls to each. `ci` is a token; the cookie and the half `s` together
 * are a session.
 */
function world({ token, person = 'none', cookie, half }: Asked) {
  const asked: string[] = []
  const says = <T>(text: string, answer: T): T => {
    asked.push(text)
    return answer
  }
  const headers = { authorization: token, cookie, 'x-audience-session': half }
  const deps: Parameters<typeof callerOf>[1] = {
    sessions: { read: (given: object) => says('session', isSession(given) ? SESSION : undefined) } as never,
    proxy: { addressOf: () => '1.2.3.4', personOf: () => PEOPLE[person] },
    ownerOfToken: (header) => (header === 'ci' ? { by: 'ci', role: 'viewer' } : undefined),
    guesses: {
      check: (...of: readonly string[]) => says(`check ${of.join(' ')}`, undefined),
      wasRight: (...of: readonly string[]) => says(`right ${of.join(' ')}`, undefined),
      wasWrong: (...of: readonly string[]) => says(`wrong ${of.join(' ')}`, token !== 'again'),
    } as never,
    audit: { add: async (act) => says(`audit ${JSON.stringify(act)}`, undefined) },
  }
  return { asked, deps, ask: () => callerOf({ headers } as unknown as IncomingMessage, deps) }
}

/** Also accepts the first of two halves, so a caller that lets several through would be noticed. */
function isSession({ cookie, half }: { readonly cookie?: string; readonly half?: string }): boolean {
  return cookie === 's' && half?.[0] === 's'
}

const SIGNED_IN = { cookie: 's', half: 's' }
const FROM = { address: '1.2.3.4' }

test.each<[string, Asked, object]>([
  ['a token', { token: 'ci' }, { by: 'ci', role: 'viewer', via: 'token', ...FROM }],
  ['a token before all else', { token: 'ci', person: 'ana', ...SIGNED_IN }, { by: 'ci', via: 'token' }],
  ['a proxy', { person: 'ana' }, { by: 'ana', role: 'approver', via: 'proxy', ...FROM }],
  ['a proxy before a session', { person: 'ana', ...SIGNED_IN }, { by: 'ana', via: 'proxy' }],
  ['a session', SIGNED_IN, { by: 'sue', role: 'operator', via: 'session', session: SESSION, ...FROM }],
])('who asks is known by %s', async (_, given, caller) => {
  expect(await world(given).ask()).toMatchObject(caller)
})

test.each<[string, Asked, number, string]>([
  ['nothing', {}, 401, 'no-session'],
  ['a cookie alone', { cookie: 's' }, 401, 'no-session'],
  ['two halves', { cookie: 's', half: ['s', 's'] }, 401, 'no-session'],
  ['a wrong token, whoever else is named', { token: 'x', person: 'ana', ...SIGNED_IN }, 401, 'bad-token'],
  ['a person without a role, whoever is signed in', { person: 'dee', ...SIGNED_IN }, 403, 'no-role'],
])('nobody is known by %s', async (_, given, status, code) => {
  await expect(world(given).ask()).rejects.toMatchObject({ status, body: { code } })
})

test('guesses of tokens are counted, and those that count are in the audit log before they are answered', async () => {
  const right = world({ token: 'ci' })
  await right.ask()
  expect(right.asked).toEqual(['check 1.2.3.4 ci', 'right 1.2.3.4 ci'])
  const again = world({ token: 'again' })
  await expect(again.ask()).rejects.toThrow()
  expect(again.asked).toEqual(['check 1.2.3.4 again', 'wrong 1.2.3.4 again'])

  const { deps, asked, ask } = world({ token: 'x' })
  const added = Promise.withResolvers<void>()
  Object.assign(deps, {
    audit: { add: (act: object) => added.promise.then(() => void asked.push(JSON.stringify(act))) },
  })
  let isAnswered = false
  const answer = ask().finally(() => {
    isAnswered = true
  })
  answer.catch(() => undefined)
  await turn()
  expect(isAnswered).toBe(false)
  added.resolve()
  await expect(answer).rejects.toMatchObject({ status: 401 })
  expect(asked.at(-1)).toBe(
    '{"act":"console.guess","subject":"console","by":"unknown","address":"1.2.3.4","outcome":"bad-token"}',
  )
})

test.each([
  ['', undefined],
  ['  ', undefined],
  [7, undefined],
  [undefined, undefined],
  [' it is Friday ', 'it is Friday'],
])('the reason %j is the comment %j', (reason, comment) => {
  const caller = { by: 'ana', role: 'approver', via: 'token', ...FROM } as const
  expect(actorOfCaller(caller, reason)).toEqual({ by: 'ana', role: 'approver', ...FROM, comment })
})
