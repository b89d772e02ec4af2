import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load-settings.ts'
import { policyOf } from '../../src/config/policy-of.ts'
import { PROXY_VARIABLES } from '../../src/platform/proxies.ts'

test('documents read no variable that a key of audience.yaml names, wherever the key is; names of people are no such keys', () => {
  const config = parseConfig(
    `stateEnv: A
profiles:
  localEnv: { baseUrl: "https://audience.example.com", tokenEnv: B, inputs: { homeEnv: HOME } }
  other: { baseUrl: "https://other.example.com", oauth2: { tokenUrl: "https://a.example.com", clientId: c, clientSecretEnv: C } }
notify:
  channels:
    opsEnv: { webhook: { urlEnv: D, secretEnv: [E, F], headersEnv: { Authorization: G } } }
    duty: { pagerduty: { keyEnv: H } }
smtp: { host: mail.example.com, from: a@example.com, user: a, passwordEnv: I }
heartbeats: { url: "https://hc.example.com", keyEnv: J, daemon: audience }
console: { tokens: [{ name: warehouse, role: viewer, tokenEnv: K }] }
sources: { lake: { s3: { bucket: b, region: r, accessKeyIdEnv: L, secretAccessKeyEnv: M } } }
pipelines: { git: { url: "https://git.example.com/p", tokenEnv: N } }
`,
    'audience.yaml',
  )
  const own = new Set(policyOf(config, undefined).ownEnv)
  expect(own).toEqual(new Set([...'ABCDEFGHIJKLMN', 'PGPASSWORD', ...PROXY_VARIABLES]))
})
