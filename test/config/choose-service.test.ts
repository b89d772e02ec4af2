import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config-schema.ts'
import { resolveSettings } from '../../src/config/resolve-settings.ts'

const FOLDER = '/project'
const PROFILES: Config = { profiles: { production: { baseUrl: 'https://a/p/1' }, bare: { tokenEnv: 'T' } } }
const URL = { AUDIENCE_BASE_URL: 'http://env' }
const TOKEN = { AUDIENCE_TOKEN: 't' }
const EMBEDDED = 'embedded'

/** The service of these settings: its base URL, `embedded`, or what is missing. */
function meant(config: Config, env: Record<string, string>, flags: { profile?: string; runProfile?: string }, by = '') {
  const file = { path: join(FOLDER, 'audience.yaml'), isNamed: by === 'named' }
  const { service } = resolveSettings({ config, file: by === 'none' ? undefined : file, env, cwd: FOLDER, flags })
  switch (service.kind) {
    case 'remote':
      return service.baseUrl
    case 'embedded':
      return EMBEDDED
    case 'unclear':
      expect(service.problem).toMatchObject({ code: 'unclear-service', kind: 'invalid' })
      return `? ${service.problem.hint}`
  }
}

test.each<[string, Config, Record<string, string>, { profile?: string; runProfile?: string }, string, string]>([
  ['nothing names a service', {}, {}, {}, 'none', EMBEDDED],
  ['a configuration that was found and names none', { state: 'x' }, {}, {}, '', EMBEDDED],
  ['the base URL of the environment', {}, URL, {}, 'none', 'http://env'],
  ['a token without a base URL', {}, TOKEN, {}, 'none', '? set AUDIENCE_BASE_URL='],
  ['profiles without a choice', PROFILES, {}, {}, '', '? add to it: profile: production;'],
  ['a configuration that was named and names none', {}, {}, {}, 'named', '? add to it: profile: local'],
  ['profiles, and a base URL of the environment', PROFILES, URL, {}, '', 'http://env'],
  ['profile: in the file', { ...PROFILES, profile: 'production' }, {}, {}, '', 'https://a/p/1'],
  [
    'the environment before profile:',
    { ...PROFILES, profile: 'production' },
    { AUDIENCE_PROFILE: 'local' },
    {},
    '',
    EMBEDDED,
  ],
  [
    'a flag before the environment',
    PROFILES,
    { AUDIENCE_PROFILE: 'local' },
    { profile: 'production' },
    '',
    'https://a/p/1',
  ],
  ['an empty AUDIENCE_PROFILE is none', PROFILES, { AUDIENCE_PROFILE: '' }, {}, '', '? add to it'],
  ['a profile without baseUrl', PROFILES, {}, { profile: 'bare' }, '', '? add to it: baseUrl:'],
  ['a profile whose base URL the environment has', PROFILES, URL, { profile: 'bare' }, '', 'http://env'],
  [
    '--profile local, whatever the environment says',
    PROFILES,
    { ...URL, ...TOKEN },
    { profile: 'local' },
    '',
    EMBEDDED,
  ],
  ['profile: local', { ...PROFILES, profile: 'local' }, TOKEN, {}, 'named', EMBEDDED],
  ['profile: local under a base URL of the environment', { profile: 'local' }, URL, {}, '', 'http://env'],
  ['two services in the environment', {}, { ...URL, AUDIENCE_PROFILE: 'local' }, {}, '', '? remove one of them from'],
  ['a run of the profile local', PROFILES, {}, { runProfile: 'local' }, '', EMBEDDED],
  ['a run begun with a base URL of the environment', PROFILES, URL, { runProfile: 'local' }, '', 'http://env'],
])('%s', (_name, config, env, flags, by, expected) => {
  expect(meant(config, env, flags, by)?.slice(0, expected.length)).toBe(expected)
})
