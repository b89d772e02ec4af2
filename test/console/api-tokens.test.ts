import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTokens, tokenOwners } from '../../src/console/server/api-tokens.ts'
import { tempFolder } from '../support/temp-folder.ts'

const TOKEN = 'sixteen-letters-'
const ANA = { name: 'ana', role: 'operator', tokenEnv: 'ANA' } as const

test.each([
  ['as it is', `Bearer ${TOKEN}`, true],
  ['in other letters, with blanks', `bearer   ${TOKEN} `, true],
  ['of somebody else', 'Bearer seventeen-letters', false],
  ['with more after it', `Bearer ${TOKEN}x`, false],
  ['in another scheme', `Basic ${TOKEN}`, false],
  ['alone', TOKEN, false],
  ['that is empty', '', false],
  ['that is missing', undefined, false],
])('a header has the owner of its token: %s', (_what, header, isAnas) => {
  const ownerOf = tokenOwners(readTokens([ANA], { ANA: `${TOKEN}\n` }))
  expect(ownerOf(header)).toEqual(isAnas ? { by: 'ana', role: 'operator' } : undefined)
})

test('a token can be in a file', () => {
  const tokenFile = join(tempFolder(), 'token')
  writeFileSync(tokenFile, `${TOKEN}\n`)
  expect(readTokens([{ name: 'bo', role: 'viewer', tokenFile }], {})).toEqual([
    { by: 'bo', role: 'viewer', token: TOKEN },
  ])
})

test.each([
  [{ ANA: '' }, 'the environment variable ANA does not contain a token'],
  [{}, 'the environment variable ANA does not contain a token'],
  [{ ANA: TOKEN.slice(1) }, 'the token in the environment variable ANA has fewer than 16 characters'],
])('what is no token is refused at the start: %j', (env, why) => {
  expect(() => readTokens([ANA], env)).toThrow(`there is no token "ana" for the console: ${why}`)
})

test('so is what is in a file, or a file that is not there', () => {
  const tokenFile = join(tempFolder(), 'token')
  const read = () => readTokens([{ name: 'bo', role: 'viewer', tokenFile }], {})
  expect(read).toThrow(`${tokenFile} cannot be read (ENOENT)`)
  writeFileSync(tokenFile, 'short')
  expect(read).toThrow(`the token in ${tokenFile} has fewer than 16 characters`)
})
