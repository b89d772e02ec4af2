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
  // It looks once a second.
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
  // What no session of that time can use any more is gone.
  expect(readdirSync(folder)).toHaveLength(1)
})
