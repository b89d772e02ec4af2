import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endedSessions } from '../../src/console/server/ended-sessions.ts'
import { createSessions, type OpenSession } from '../../src/console/server/sessions.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LASTS_MS = 14 * 86_400_000

/** Sessions of workers that share a folder; the test sets the clock. */
function sharing() {
  const folder = tempFolder()
  const clock = { now: 1_000_000 }
  const worker = () => {
    const ended = endedSessions(folder, () => clock.now)
    const sessions = createSessions({
      ...{ key: Buffer.from('a key'), path: '/', isSecure: false },
      now: () => clock.now,
      isEnded: ended.has,
    })
    const begin = (by = 'ana', role: OpenSession['role'] = 'viewer') => {
      const { cookie, half } = sessions.begin({ by, role })
      const given = { cookie: `other=1; ${cookie.split(';')[0]}`, half }
      return { given, cookie, read: () => sessions.read(given) }
    }
    return { ended, sessions, begin }
  }
  return { folder, clock, worker }
}

test('a session lasts fourteen days to the millisecond, and says who began it when', () => {
  const { clock, worker } = sharing()
  const { begin } = worker()
  const { cookie, read } = begin('ana', 'operator')
  expect(cookie).toContain('; Max-Age=1209600; Path=/; HttpOnly; SameSite=Strict')
  expect(read()).toMatchObject({ by: 'ana', role: 'operator', began: 1_000_000, until: 1_000_000 + LASTS_MS })
  clock.now += LASTS_MS - 1
  expect(read()).toBeDefined()
  clock.now += 1
  expect(read()).toBeUndefined()
})

test('both halves are needed, of one session', () => {
  const { sessions, begin } = sharing().worker()
  const [one, other] = [begin('ana'), begin('bob')]
  const { cookie, half } = one.given
  expect(sessions.read({ cookie, half })).toMatchObject({ by: 'ana' })
  expect(sessions.read({ cookie, half: other.given.half })).toBeUndefined()
  expect(sessions.read({ cookie, half: undefined })).toBeUndefined()
  expect(sessions.read({ cookie: undefined, half })).toBeUndefined()
  // Somebody else's cookie of the same name comes before it.
  expect(sessions.read({ cookie: `${other.given.cookie}; ${cookie}`, half })).toMatchObject({ by: 'ana' })
  expect(sessions.read({ cookie: cookie.replace(/\.\w+$/, '.AAAA'), half })).toBeUndefined()
  expect(begin('ana', 'nobody' as never).read()).toBeUndefined()
})

test('the end of a session ends no other; the end of all of a person ends those that began until then', () => {
  const { clock, worker } = sharing()
  const { ended, begin } = worker()
  const [one, two, bob] = [begin(), begin('ana', 'operator'), begin('bob')]
  ended.end(one.read() as OpenSession, { everywhere: false })
  expect([one.read(), two.read()?.by, bob.read()?.by]).toEqual([undefined, 'ana', 'bob'])
  ended.end(two.read() as OpenSession, { everywhere: true })
  const sameMoment = begin('ana', 'viewer')
  clock.now += 1
  const later = begin()
  expect([two.read(), sameMoment.read(), later.read()?.by, bob.read()?.by]).toEqual([
    undefined,
    undefined,
    'ana',
    'bob',
  ])
})

test('another worker learns of an end within a second, and one that starts knows it', async () => {
  const { clock, worker } = sharing()
  const [here, there] = [worker(), worker()]
  const { given, read } = here.begin()
  here.ended.end(read() as OpenSession, { everywhere: false })
  clock.now += 999
  await there.ended.refresh()
  expect(there.sessions.read(given)).toBeDefined()
  clock.now += 1
  await there.ended.refresh()
  expect(there.sessions.read(given)).toBeUndefined()
  expect(worker().sessions.read(given)).toBeUndefined()
})

test('an end is forgotten when no session of before it can be valid', () => {
  const { folder, clock, worker } = sharing()
  const { ended, begin } = worker()
  ended.end(begin().read() as OpenSession, { everywhere: true })
  expect(readdirSync(folder)).toHaveLength(2)
  clock.now += LASTS_MS
  ended.end(begin('bob').read() as OpenSession, { everywhere: false })
  expect(readdirSync(folder)).toHaveLength(3)
  clock.now += 1
  ended.end(begin('cy').read() as OpenSession, { everywhere: false })
  expect(readdirSync(folder)).toHaveLength(2)
})
