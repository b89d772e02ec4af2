import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSettings, parseConfig } from '../../src/config/load-settings.ts'
import type { InvalidDocumentError } from '../../src/core/errors.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { PROXY_VARIABLES } from '../../src/platform/proxies.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DAY_MS = 86_400_000

const CONFIG = `profiles:
  production: { baseUrl: "https://example.com/x", tokenFile: token.txt, limits: { concurrency: 4 } }
  local: { limits: { concurrency: 2 } }
state: var/state
`

function project(config: string | undefined = CONFIG) {
  const folder = tempFolder()
  const below = join(folder, 'a/b')
  mkdirSync(below, { recursive: true })
  if (config !== undefined) writeFileSync(join(folder, 'audience.yaml'), config)
  return {
    folder,
    settings: (env: Record<string, string> = {}, flags: { profile?: string } = {}) =>
      loadSettings({ env, cwd: below, flags }),
  }
}

describe('the file is found upwards, its paths are relative to it', () => {
  test('state and tokenFile', () => {
    const { folder, settings } = project()
    expect(settings({}, { profile: 'production' })).toEqual({
      sources: {},
      lists: LIST_LIMITS,
      retention: { runsMs: 90 * DAY_MS, keep: 20, occurrencesMs: 400 * DAY_MS, auditMs: 400 * DAY_MS },
      privacy: { suppress: [], membership: { kind: 'fingerprints', keepMs: 30 * DAY_MS } },
      profileName: 'production',
      values: {
        ...{ name: 'production', inputs: {} },
        ...{ file: join(folder, 'audience.yaml'), known: ['local', 'production'] },
      },
      isProfileChosen: true,
      profile: { baseUrl: 'https://example.com/x', tokenFile: join(folder, 'token.txt'), limits: { concurrency: 4 } },
      service: { kind: 'remote', baseUrl: 'https://example.com/x' },
      profileService: { kind: 'remote', baseUrl: 'https://example.com/x' },
      state: join(folder, 'var/state'),
      shared: join(folder, 'var/state'),
      pipelines: join(folder, 'pipelines'),
      maxRuns: 100,
      policy: {
        project: folder,
        sources: new Map(),
        ownEnv: ['PGPASSWORD', ...PROXY_VARIABLES],
        copies: join(folder, 'var/state/remote'),
      },
      hosts: [],
      console: { host: '127.0.0.1', basePath: '/', readOnly: false, roles: {}, tokens: [] },
      secrets: [],
    })
  })

  test('without one there is the embedded service and .audience in the working directory', () => {
    const folder = tempFolder()
    expect(loadSettings({ env: {}, cwd: folder, flags: {} })).toEqual({
      sources: {},
      lists: LIST_LIMITS,
      retention: { runsMs: 90 * DAY_MS, keep: 20, occurrencesMs: 400 * DAY_MS, auditMs: 400 * DAY_MS },
      privacy: { suppress: [], membership: { kind: 'fingerprints', keepMs: 30 * DAY_MS } },
      profileName: 'local',
      values: { name: 'local', inputs: {} },
      isProfileChosen: false,
      profile: {},
      service: { kind: 'embedded', folder: join(folder, '.audience/service') },
      profileService: { kind: 'embedded', folder: join(folder, '.audience/service') },
      state: join(folder, '.audience'),
      shared: join(folder, '.audience'),
      pipelines: join(folder, 'pipelines'),
      maxRuns: 100,
      policy: { ownEnv: ['PGPASSWORD', ...PROXY_VARIABLES], copies: join(folder, '.audience/remote') },
      hosts: [],
      console: { host: '127.0.0.1', basePath: '/', readOnly: false, roles: {}, tokens: [] },
      secrets: [],
    })
  })

  test.each(['', '# nothing yet\n', '\n  # a\n# b'])('a file that says nothing (%j) is fine', (text) => {
    expect(parseConfig(text, 'audience.yaml')).toEqual({})
  })
})

describe('environment over file, flags over both', () => {
  const { settings } = {
    settings: (...args: Parameters<ReturnType<typeof project>['settings']>) => project().settings(...args),
  }
  test.each([
    ['file', {}, {}, 'local'],
    ['environment', { AUDIENCE_PROFILE: 'production' }, {}, 'production'],
    ['flag', { AUDIENCE_PROFILE: 'local' }, { profile: 'production' }, 'production'],
  ])('the profile of the %s', (_name, env, flags, expected) => {
    expect(settings(env, flags).profileName).toBe(expected)
  })

  test('a base URL and a token of the environment replace those of the profile, its limits stay', () => {
    expect(
      settings({ AUDIENCE_BASE_URL: 'http://other', AUDIENCE_TOKEN: 't' }, { profile: 'production' }).profile,
    ).toEqual({
      baseUrl: 'http://other',
      tokenEnv: 'AUDIENCE_TOKEN',
      limits: { concurrency: 4 },
    })
  })

  test('a token of the environment goes to the base URL of the profile', () => {
    expect(settings({ AUDIENCE_TOKEN: 't' }, { profile: 'production' }).profile).toMatchObject({
      baseUrl: 'https://example.com/x',
      tokenEnv: 'AUDIENCE_TOKEN',
    })
  })

  test('AUDIENCE_STATE is relative to the working directory', () => {
    const { folder, settings } = project()
    expect(settings({ AUDIENCE_STATE: 'mine' }).state).toBe(join(folder, 'a/b/mine'))
  })
})

test('an unknown profile says which are known', () => {
  expect(() => project().settings({}, { profile: 'prodution' })).toThrow(
    expect.objectContaining({ code: 'unknown-profile', kind: 'invalid', hint: 'did you mean production?' }),
  )
  expect(() =>
    project('profiles: { local: {}, staging: { baseUrl: "https://a.example" } }').settings({}, { profile: 'nope' }),
  ).toThrow(expect.objectContaining({ hint: 'known here: local, staging' }))
})

test.each([
  ['profils: {}', '1:1 unknown-key', 'profiles'],
  ['profiles:\n  x: { baseURL: "http://a" }', '2:8 unknown-key', 'baseUrl'],
  ['profiles:\n  x: { limits: { concurrency: 0 } }', '2:31 wrong-value', undefined],
  [
    'profile: prodution\nprofiles:\n  production: { baseUrl: "http://a" }',
    '1:10 unknown-profile',
    'did you mean production?',
  ],
  ['profiles:\n  local: { baseUrl: "http://a" }', '2:12 wrong-value', 'another name'],
  ['state: 3', '1:8 wrong-type', 'quote it'],
  ['state: [', '1:8 yaml-syntax', undefined],
  ['state: a\nstate: b', '2:1 duplicate-key', undefined],
])('%j is refused at its place', (text, place, hint) => {
  const problems = (() => {
    try {
      parseConfig(text, 'audience.yaml')
      return []
    } catch (error) {
      return (error as InvalidDocumentError).diagnostics
    }
  })()
  expect(problems.map(({ at, code }) => `${at?.line}:${at?.column} ${code}`)).toContain(place)
  if (hint !== undefined) expect(problems.map(({ hint: given }) => given).join()).toContain(hint)
})

describe('notify', () => {
  const SMTP = 'smtp: { host: mail.example.com, from: audience@example.com'

  test('is what the file says; a certificate is relative to it', () => {
    const { folder, settings } = project(`notify:
  channels: { ops: { webhook: { urlEnv: OPS_URL, format: slack } }, mail: { email: { to: [team@example.com] } } }
  to: [ops]
  on: [failure, recovery]
  partnerWaits: { after: 1d }
${SMTP}, caFile: ca.pem }
`)
    expect(settings()).toMatchObject({
      notify: {
        channels: {
          ops: { webhook: { urlEnv: 'OPS_URL', format: 'slack' } },
          mail: { email: { to: ['team@example.com'] } },
        },
        to: ['ops'],
        on: ['failure', 'recovery'],
        partnerWaits: { after: '1d' },
      },
      smtp: { host: 'mail.example.com', from: 'audience@example.com', caFile: join(folder, 'ca.pem') },
    })
  })

  test.each([
    [
      'notify: { channels: { ops: { webhook: { urlEnv: X } } }, to: [opps] }',
      '1:63 unknown-channel',
      'did you mean ops?',
    ],
    [
      'notify: { channels: { ops: { webhook: { urlEnv: X } } }, routes: [{ to: [opps] }] }',
      '1:74 unknown-channel',
      'did you mean ops?',
    ],
    [
      'notify: { channels: { ops: { webhook: { urlEnv: X } } }, routes: [{ to: [ops], escalate: { after: 1d, to: [opps] } }] }',
      '1:108 unknown-channel',
      'did you mean ops?',
    ],
    ['notify: { channels: { ops: {} } }', '1:23 wrong-value', undefined],
    [
      'notify: { channels: { o: { webhook: { urlEnv: X } } }, on: [partnerWaits] }',
      '1:61 missing-key',
      'add the time to wait: notify.partnerWaits: { after: 1d }',
    ],
    ['notify: { channels: { ops: { webhook: { format: slack } } } }', '1:30 wrong-value', undefined],
    ['notify: { channels: { ops: { webhook: { url: "ftp://x", format: slak } } } }', '1:46 wrong-value', undefined],
    [
      'notify: { channels: { ops: { webhook: { urlEnv: X, format: slak } } } }',
      '1:60 wrong-value',
      'did you mean slack?',
    ],
    ['notify: { channels: { mail: { email: { to: [a@example.com] } } } }', '1:23 missing-key', undefined],
    [`notify: { channels: { m: { email: { to: [nobody] } } } }\n${SMTP} }`, '1:42 wrong-value', undefined],
    [`${SMTP}, user: me }`, '1:7 missing-key', undefined],
    ['policy: { files: [data] }', '1:11 unknown-key', undefined],
    ['policy: { webhookHosts: [a.example, "https://hooks.example.com"] }', '1:37 wrong-value', undefined],
    ['policy: { webhookHosts: ["hooks.*.com"] }', '1:26 wrong-value', undefined],
    ['policy: { webhookHosts: ["*.10.0.0.1"] }', '1:26 wrong-value', undefined],
    ['hosts: [audience.internal/x]', '1:9 wrong-value', undefined],
    ['policy: { env: [ALERT_URL, AUDIENCE_TOKEN] }', '1:28 wrong-value', undefined],
    ['profiles: { p: { tokenEnv: T } }\npolicy: { env: [T] }', '2:17 wrong-value', undefined],
    [
      'notify: { channels: { a: { webhook: { urlEnv: U, secretEnv: [S] } } } }\npolicy: { env: [U, S] }',
      '2:20 wrong-value',
      undefined,
    ],
    [
      'notify: { channels: { a: { webhook: { urlEnv: U, headersEnv: { A: H } } } } }\npolicy: { env: [H] }',
      '2:17 wrong-value',
      undefined,
    ],
    ['notify: { channels: { a: { webhook: { urlEnv: U } } }, summary: { at: "8:00" } }', '1:71 wrong-value', undefined],
    [
      'notify: { channels: { a: { webhook: { urlEnv: U } } }, summary: { at: "08:00", timezone: Mars } }',
      '1:90 wrong-value',
      undefined,
    ],
    [
      'notify: { channels: { a: { webhook: { urlEnv: U } } }, summary: { at: "08:00", to: [b] } }',
      '1:85 unknown-channel',
      undefined,
    ],
    ['notify: { channels: { a: { pagerduty: { keyEnv: K } } } }\npolicy: { env: [K] }', '2:17 wrong-value', undefined],
    [
      'notify: { channels: { a: { pagerduty: { keyEnv: K }, webhook: { urlEnv: U } } } }',
      '1:23 wrong-value',
      undefined,
    ],
  ])('%j is refused at its place', (text, place, hint) => {
    const error = (() => {
      try {
        parseConfig(text, 'audience.yaml')
        return undefined
      } catch (thrown) {
        return thrown as InvalidDocumentError
      }
    })()
    const problems = error?.diagnostics ?? []
    expect(problems.map(({ at, code }) => `${at?.line}:${at?.column} ${code}`)).toContain(place)
    if (hint !== undefined) expect(problems.map(({ hint: given }) => given)).toContain(hint)
  })
})

test('retention is read as durations; one that is too long to count is for ever', () => {
  const folder = tempFolder()
  writeFileSync(
    join(folder, 'audience.yaml'),
    `retention: { runs: 7d, keep: 0, occurrences: ${'9'.repeat(20)}d, audit: 2d }\n`,
  )
  const { retention } = loadSettings({ env: {}, cwd: folder, flags: {} })
  expect(retention).toEqual({
    runsMs: 7 * DAY_MS,
    keep: 0,
    occurrencesMs: Number.MAX_SAFE_INTEGER,
    auditMs: 2 * DAY_MS,
  })
})

describe('a file of a repository that was made to take for ever is read like any other', () => {
  // Regular expressions with exponential or quadratic time took minutes or longer for each of these.
  test.each([
    ['blank lines', `${'\n'.repeat(5000)}profiles: {}`],
    ['comments', `${'#a\n'.repeat(100_000)}profiles: {}`],
    ['blanks', `${' '.repeat(5000)}profiles: {}`],
    ['addresses without an end', `profiles: {} # ${'postgres://a:'.repeat(70_000)}`],
    ['addresses after an @', `profiles: {} # @${'postgres://a:'.repeat(70_000)}`],
  ])('%s', (_what, text) => {
    expect(parseConfig(text, 'audience.yaml')).toEqual({ profiles: {} })
  })

  test('with comments alone it is empty', () => {
    expect(parseConfig('# a\n  # b\r\n\n\t\n#c', 'audience.yaml')).toEqual({})
  })
})
