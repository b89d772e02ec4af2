import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeLoginToken, openingPage, useLoginToken } from '../../src/console/server/login-links.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MINUTES = 60_000

test('a link works once, for ten minutes, and not for whoever reads its file', () => {
  const folder = tempFolder()
  const now = Date.now()
  const make = () => makeLoginToken(folder, { by: 'ana', now })
  const [once, late, intime] = [make(), make(), make()]
  expect(useLoginToken(folder, `${once}x`, now)).toBeUndefined()
  expect(useLoginToken(folder, once, now)).toEqual({ by: 'ana' })
  expect(useLoginToken(folder, once, now)).toBeUndefined()
  expect(useLoginToken(folder, late, now + 10 * MINUTES)).toBeUndefined()
  expect(useLoginToken(folder, late, now)).toBeUndefined()
  expect(useLoginToken(folder, intime, now + 10 * MINUTES - 1)).toEqual({ by: 'ana' })
  make()
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
    expect(useLoginToken(folder, name.slice('console-link-'.length), now)).toBeUndefined()
  }
})

test('what is older than ten minutes is removed with the next link, and nothing else', () => {
  const folder = tempFolder()
  const now = Date.now()
  const page = openingPage(folder, 'http://127.0.0.1:9471/login?token=x')
  expect(readFileSync(page, 'utf8')).toContain('url=http://127.0.0.1:9471/login?token=x')
  expect(statSync(page).mode & 0o077).toBe(0)
  makeLoginToken(folder, { by: 'ana', now })
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), now / 1000, now / 1000)
  const made = (at: number) => {
    makeLoginToken(folder, { by: 'ana', now: at })
    return readdirSync(folder).length
  }
  expect(made(now + 10 * MINUTES)).toBe(3)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), now / 1000, now / 1000)
  expect(made(now + 10 * MINUTES + 1000)).toBe(1)
})

test('what is no link stays, however old it is', () => {
  const folder = tempFolder()
  const now = Date.now()
  const other = join(folder, 'console-key')
  writeFileSync(other, 'x')
  utimesSync(other, 1, 1)
  makeLoginToken(folder, { by: 'ana', now })
  expect(readFileSync(other, 'utf8')).toBe('x')
})
