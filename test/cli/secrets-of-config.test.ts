import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CONFIG = `profile: production
profiles:
  production: { baseUrl: "https://audience.example.com", tokenEnv: SERVICE_TOKEN }
  staging: { baseUrl: "https://staging.example.com", token: written-token-1234567890 }
  other: { baseUrl: "https://other.example.com", oauth2: { tokenUrl: "https://a.example.com", clientId: c, clientSecretEnv: CLIENT_SECRET } }
smtp: { host: mail.example.com, from: a@example.com, user: a, passwordEnv: MAIL_PASSWORD }
notify: { channels: { duty: { pagerduty: { keyEnv: DUTY_KEY } } } }
heartbeats: { url: "https://hc.example.com", keyEnv: PING_KEY, daemon: audience }
console: { tokens: [{ name: warehouse, role: viewer, tokenEnv: CONSOLE_TOKEN }] }
sources: { lake: { s3: { bucket: b, region: r, accessKeyIdEnv: KEY_ID, secretAccessKeyEnv: KEY } } }
`
const PIPELINE = `version: 1
name: p
triggers: [{ id: nightly, schedule: { cron: "0 2 * * *" } }]
steps: [{ id: list, uses: segments.list }]
`
const SECRETS = {
  SERVICE_TOKEN: 'service-token-1234567890',
  CLIENT_SECRET: 'client-secret-1234567890',
  MAIL_PASSWORD: 'mail-password-1234567890',
  DUTY_KEY: 'duty-key-123456789012345',
  PING_KEY: 'ping-key-123456789012345',
  CONSOLE_TOKEN: 'console-token-1234567890',
  KEY: 'bucket-key-1234567890123',
  AUDIENCE_TOKEN: 'given-token-123456789012',
  PGPASSWORD: 'database-password-123456',
}

test('a command that asks no service knows the secrets of audience.yaml, too', async () => {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), CONFIG)
  mkdirSync(join(cwd, 'pipelines'))
  writeFileSync(join(cwd, 'pipelines/p.yaml'), PIPELINE)
  const secrets = [...Object.values(SECRETS), 'written-token-1234567890']
  const env = { ...SECRETS, KEY_ID: 'an-id-that-may-show' }
  const comment = `${secrets.join(' ')} ${env.KEY_ID}`
  const paused = await commandLine(['schedule', 'pause', 'p/nightly', '--comment', comment], { cwd, env })
  const audit = await commandLine(['audit', 'list', '--json'], { cwd, env })
  expect(audit.out).toContain(env.KEY_ID)
  const state = join(cwd, '.audience')
  const stored = readdirSync(state).map((name) => readFileSync(join(state, name), 'latin1'))
  const all = [paused, audit].map(({ out, err }) => out + err).join('')
  for (const secret of secrets) {
    expect(all).not.toContain(secret)
    expect(stored.join('')).not.toContain(secret)
  }
})

test('the tokens that a token server sends beside the access token are known, too', async () => {
  const sent = {
    access_token: 'q8Zr5LmWc2',
    refresh_token: 'T7vKx9PbnE',
    id_token: 'Hd3sGy6UaJ',
  }
  const detail = Object.values(sent).join(' and ')
  await using server = await scriptedServer(({ url }) =>
    url === '/token' ? { json: sent } : { status: 400, json: { detail } },
  )
  const cwd = tempFolder()
  const oauth2 = `{ tokenUrl: "${server.origin}/token", clientId: c, clientSecretEnv: CLIENT_SECRET }`
  writeFileSync(
    join(cwd, 'audience.yaml'),
    `profile: p\nprofiles: { p: { baseUrl: "${server.url}", oauth2: ${oauth2} } }\n`,
  )
  const { code, out, err } = await commandLine(['api', 'jobs.get', '--jobId', '7'], {
    cwd,
    env: { CLIENT_SECRET: 'hush' },
  })
  expect([code, server.seen.length]).toEqual([1, 2])
  expect(out + err).toContain('400 *** and *** and ***\n')
})

test.each([
  ['validate', ['validate', 'PIPELINES']],
  ['state check', ['state', 'check']],
  ['state compact', ['state', 'compact']],
  ['a command that needs no configuration', ['init', 'written-token-1234567890']],
])('%s knows the secrets before it prints anything', async (_name, args) => {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), CONFIG)
  mkdirSync(join(cwd, 'pipelines'))
  const secrets = [...Object.values(SECRETS), 'written-token-1234567890']
  const steps = PIPELINE.replace('segments.list', `"${secrets.join(' ')}"`)
  writeFileSync(join(cwd, 'pipelines/p.yaml'), steps)
  const here = args.map((arg) => (arg === 'PIPELINES' ? join(cwd, 'pipelines') : arg))
  const { out, err } = await commandLine(here, { cwd, env: { ...SECRETS, AUDIENCE_STATE: secrets.join(' ') } })
  expect(out + err).toContain('***')
  for (const secret of secrets) expect(out + err).not.toContain(secret)
})

test.each([
  'staging: { token: written-token-1234567890, oops: 1 }',
  'staging: { "token": "written-token-1234567890", oops: 1 }',
  "staging: { token : 'written-token-1234567890' x }",
  'staging: [ token: written-token-1234567890',
])('a configuration with a mistake does not show the token beside it: %s', async (line) => {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), `profiles:\n  ${line}\n`)
  const { code, out, err } = await commandLine(['validate', cwd], { cwd })
  expect(code).toBe(3)
  expect(out + err).toContain('***')
  expect(out + err).not.toContain('written-token')
})

test('the password in the address of a database is known, even if its variable cannot be used', async () => {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), 'stateEnv: DATABASE\n')
  const env = { DATABASE: 'postgres://me:hidden-word-1@db.example.com' }
  const { out, err } = await commandLine(['runs', 'show', 'hidden-word-1'], { cwd, env })
  expect(out + err).not.toContain('hidden-word')
})

test('a branch of other people cannot call its words secret to hide them in a report', async () => {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), 'profiles: { p: { token: no-such-pipeline } }\n')
  const args = ['plan', '--untrusted', 'no-such-pipeline.yaml']
  expect((await commandLine(args, { cwd })).err).toContain('no-such-pipeline')
})
