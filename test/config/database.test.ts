import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSettings, parseConfig } from '../../src/config/load-settings.ts'
import { stateName } from '../../src/config/settings.ts'
import { AudienceError, InvalidDocumentError } from '../../src/core/errors.ts'
import { PROXY_VARIABLES } from '../../src/platform/proxies.ts'
import { tempFolder } from '../support/temp-folder.ts'

const URL_OF = 'postgres://audience@db.example.com/audience'

function settingsOf(config: string, env: Record<string, string> = {}) {
  const folder = tempFolder()
  writeFileSync(join(folder, 'audience.yaml'), config)
  writeFileSync(join(folder, 'ca.pem'), '')
  return { folder, settings: loadSettings({ env, cwd: folder, flags: {} }) }
}

describe('a database instead of a folder', () => {
  test('is named by the file, and what belongs to the machine stays in .audience', () => {
    const { folder, settings } = settingsOf(`state: ${URL_OF}`)
    expect(settings).toMatchObject({
      state: join(folder, '.audience'),
      database: { url: URL_OF, shown: URL_OF, passwords: [] },
    })
  })

  test('is named by the environment, with a password that is not shown', () => {
    const url = 'postgresql://audience:s%C3%A9cret-9@db:5433/audience?application_name=x'
    const { folder, settings } = settingsOf('state: local', { AUDIENCE_STATE: url })
    expect(settings.state).toBe(join(folder, 'local'))
    expect(settings.database).toMatchObject({ url, passwords: ['sécret-9'] })
    expect(stateName(settings)).toBe('postgresql://audience@db:5433/audience')
  })

  test('is named by a variable of its own, beside a folder; AUDIENCE_STATE goes before it', () => {
    const config = 'state: var\nstateEnv: DATABASE'
    const { folder, settings } = settingsOf(config, { DATABASE: URL_OF, PGPASSWORD: 'hidden-1' })
    expect(settings).toMatchObject({ state: join(folder, 'var'), database: { url: URL_OF, passwords: ['hidden-1'] } })
    const other = settingsOf(config, { DATABASE: URL_OF, AUDIENCE_STATE: 'restored' })
    expect(other.settings.state).toBe(join(other.folder, 'restored'))
    expect(other.settings.database).toBeUndefined()
  })

  test('documents read neither the variable of stateEnv nor PGPASSWORD', () => {
    const { settings } = settingsOf('stateEnv: DATABASE', { DATABASE: URL_OF })
    expect(settings.policy.ownEnv).toEqual(['DATABASE', 'PGPASSWORD', ...PROXY_VARIABLES])
  })

  test('files of TLS are relative to the file, and sslmode means what PostgreSQL says', () => {
    const { folder, settings } = settingsOf(`state: ${URL_OF}?sslmode=verify-ca&sslrootcert=ca.pem`)
    const { searchParams } = new URL(settings.database?.url ?? '')
    expect(Object.fromEntries(searchParams)).toEqual({
      sslmode: 'verify-ca',
      sslrootcert: join(folder, 'ca.pem'),
      uselibpqcompat: 'true',
    })
  })

  test('a variable that is not set is an error', () => {
    expect(() => settingsOf('stateEnv: DATABASE')).toThrow(/DATABASE, which stateEnv names, is not set/)
  })
})

describe('a password in the file', () => {
  const PASSWORD = 'p4ss/w@rd'

  test.each([
    `state: postgres://audience:${encodeURIComponent(PASSWORD)}@db/audience`,
    `state: postgres://db/audience?password=${encodeURIComponent(PASSWORD)}&sslmode=require`,
    `state: postgres://audience:${PASSWORD}@db/audience`,
  ])('is refused with its place, and no text has it: %s', (config) => {
    const error = refusalOf(config)
    expect(error.diagnostics).toMatchObject([
      {
        at: { line: 1, column: 8 },
        code: 'wrong-value',
        message: 'the URL has a password, and a password does not belong in a file of the project',
        hint: expect.stringMatching(/PGPASSFILE.*PGPASSWORD.*stateEnv/),
      },
    ])
    const all = JSON.stringify([error.message, error.diagnostics, error.text])
    expect(all).not.toContain(PASSWORD)
    expect(all).not.toContain(encodeURIComponent(PASSWORD))
    expect(error.text).toHaveLength(config.length)
  })

  test('is not shown beside another error either', () => {
    const error = refusalOf(`colour: red\nstate: { x: "postgres://u:${PASSWORD}@db/audience" }`)
    expect(error.text).not.toContain(PASSWORD)
  })
})

test.each([
  ['mysql://db/audience', 'a state is a folder or a PostgreSQL database, not mysql://'],
  ['postgres://db', 'the URL names no database'],
  ['postgres://db:port/audience', 'not a database URL'],
  ['postgres://db/audience?sslmod=require', 'the URL has an option that is not known: sslmod'],
  ['postgres://db/audience?sslmode=prefer', 'sslmode cannot be prefer'],
  ['postgres://db/audience?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
  ['postgres://db/audience?sslmode=require&sslrootcert=gone.pem', expect.stringMatching(/^sslrootcert cannot be read/)],
])('%s is refused, in the file and in the environment', (url, message) => {
  expect(refusalOf(`state: ${url}`).diagnostics).toMatchObject([{ at: { line: 1, column: 8 }, message }])
  expect(() => settingsOf('', { AUDIENCE_STATE: url })).toThrow(AudienceError)
})

test('two databases are refused', () => {
  expect(refusalOf(`stateEnv: DATABASE\nstate: ${URL_OF}`).diagnostics).toMatchObject([
    { at: { line: 1 }, message: 'state and stateEnv name two databases' },
  ])
})

function refusalOf(config: string): InvalidDocumentError {
  try {
    parseConfig(config, join(tempFolder(), 'audience.yaml'))
  } catch (error) {
    if (error instanceof InvalidDocumentError) return error
    throw error
  }
  throw new Error('it was taken')
}
