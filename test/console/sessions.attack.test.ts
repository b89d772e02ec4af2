import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endedSessions } from '../../src/console/server/ended-sessions.ts'
import { createSessions, LASTS_MS } from '../../src/console/server/sessions.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a person signs out of one browser or of all; every worker of the folder knows, and later sessions hold', async () => {
  const folder = tempFolder()
  const clock = { now: Date.parse('2026-11-23T10:00:00Z') }
  const now = () => clock.now
  const key = randomBytes(32)
  const worker = () => {
    const ended = endedSessions(folder, now)
    return { ended, ...createSessions({ key, path: '/', isSecure: false, now, isEnded: ended.has }) }
  }
  const [one, other] = [worker(), worker()]
  const begin = (by: string) => {
    clock.now += 1
    return one.begin({ by, role: 'approver' })
  }
  const [a, b, c, d] = [begin('ana'), begin('ana'), begin('bo'), begin('ana')]
  const open = ({ read }: typeof one) => [a, b, c, d].map((each) => read(each)?.by)
  expect([open(one), open(other)]).toEqual(Array(2).fill(['ana', 'ana', 'bo', 'ana']))

  one.ended.end(one.read(a)!, { everywhere: false })
  expect(open(one)).toEqual([undefined, 'ana', 'bo', 'ana'])
  await other.ended.refresh()
  // The other worker checks once a second.
  expect(open(other)).toEqual(['ana', 'ana', 'bo', 'ana'])
  clock.now += 1000
  await other.ended.refresh()
  expect(open(other)).toEqual([undefined, 'ana', 'bo', 'ana'])

  other.ended.end(other.read(b)!, { everywhere: true })
  const later = begin('ana')
  clock.now += 1000
  await one.ended.refresh()
  // The last one has just started.
  for (const each of [one, other, worker()]) {
    expect(open(each)).toEqual([undefined, undefined, 'bo', undefined])
    expect(each.read(later)?.by).toBe('ana')
  }
  expect(readdirSync(folder)).toHaveLength(3)
  clock.now += LASTS_MS - 1
  expect(one.read(later)).toBeUndefined()
  one.ended.end(one.read(begin('bo'))!, { everywhere: false })
  // Files that no session can use any more are gone.
  expect(readdirSync(folder)).toHaveLength(1)
})

test('cookies that a server on another port has set neither hide a session nor begin one', () => {
  const now = () => Date.parse('2026-11-23T10:00:00Z')
  const sessions = createSessions({ key: randomBytes(32), path: '/', isSecure: false, now, isEnded: () => false })
  const [ana, bo] = (['ana', 'bo'] as const).map((by) => sessions.begin({ by, role: 'approver' }))
  const pairOf = ({ cookie }: { readonly cookie: string }) => cookie.split(';')[0] ?? ''
  const own = pairOf(ana!)
  const name = own.slice(0, own.indexOf('=') + 1)
  const tossed = ['x', '', '.', 'a.b', own.slice(name.length).replace('.', '.A'), `${'y'.repeat(4000)}.z`]
  const read = (cookie: string, half = ana!.half) => sessions.read({ cookie, half })?.by
  for (const bad of tossed) {
    expect(read(`${name}${bad}; ${own}`)).toBe('ana')
    expect(read(`${own}; ${name}${bad}`)).toBe('ana')
    expect(read(`${name}${bad}`)).toBeUndefined()
  }
  // The half decides whose session it is: only another person's whole session could replace it.
  expect(read(`${pairOf(bo!)}; ${own}`)).toBe('ana')
  expect(read(pairOf(bo!))).toBeUndefined()
  expect(read(own, bo!.half)).toBeUndefined()
})
