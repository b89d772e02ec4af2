import { expect, test } from 'vitest'
import { asFailure } from '../../src/console/server/api-failure.ts'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { systemHandlers } from '../../src/console/server/handlers/system.ts'

/** Somebody signs out, while the audit log behaves as given. */
function signOut(
  input: { readonly everywhere?: boolean },
  { hasSession = true, add = async () => undefined as unknown } = {},
) {
  const ended: unknown[] = []
  const noted: unknown[] = []
  const deps = {
    state: {
      audit: {
        add(entry: unknown) {
          noted.push(entry)
          return add()
        },
      },
    },
  } as unknown as ConsoleDeps
  const call = {
    caller: { session: hasSession ? {} : undefined },
    actor: { by: 'ana', role: 'viewer', address: '127.0.0.1' },
    endSession: (...given: unknown[]) => ended.push(given),
  } as unknown as ApiCall
  return { answer: Promise.resolve(systemHandlers['session.end'](deps, input, call)), ended, noted }
}

test('who signs out has no session, here or everywhere, and the audit log has it before the answer', async () => {
  const here = signOut({})
  await expect(here.answer).resolves.toEqual({})
  expect([here.ended, here.noted]).toMatchObject([
    [[{}, { everywhere: false }]],
    [{ act: 'console.logout', outcome: 'done' }],
  ])
  expect(here.noted[0]).toMatchObject({ detail: undefined })
  const everywhere = signOut({ everywhere: true })
  await everywhere.answer
  expect([everywhere.ended, everywhere.noted]).toMatchObject([[[{}, { everywhere: true }]], [{ detail: 'everywhere' }]])
  const away = new Error('the state is away')
  await expect(signOut({}, { add: () => Promise.reject(away) }).answer).rejects.toBe(away)
})

test('who has no session has none to end', async () => {
  const here = signOut({}, { hasSession: false })
  await expect(here.answer).resolves.toEqual({})
  const everywhere = signOut({ everywhere: true }, { hasSession: false })
  expect(asFailure(await everywhere.answer.catch((error: unknown) => error))).toMatchObject({
    status: 409,
    body: {
      code: 'no-session',
      message: 'ana has no session here, so there is nothing to end',
      hint: 'only a browser that opened a login link has a session',
    },
  })
  expect([here.ended, here.noted, everywhere.ended, everywhere.noted]).toEqual([[], [], [], []])
})
