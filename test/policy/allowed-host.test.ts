import { expect, test } from 'vitest'
import { readHostPattern } from '../../src/core/host-pattern.ts'
import { documentPolicy } from '../../src/policy/document-policy.ts'

const LIST = [readHostPattern('hooks.example.com')!]

test.each([
  ['no list: any host', undefined, false, 'https://any.example.com', undefined],
  ['no list, and strict: a warning', undefined, true, 'https://any.example.com', 'warning: no policy.webhookHosts'],
  ['a list: those in it', LIST, false, 'https://hooks.example.com/x', undefined],
  ['a list, and strict: those in it', LIST, true, 'https://hooks.example.com/x', undefined],
  ['a list: no other', LIST, false, 'https://any.example.com', 'error: any.example.com is not in policy.webhookHosts'],
  ['an empty list: none', [], true, 'https://hooks.example.com', 'error: hooks.example.com is not in'],
  [
    'no list: no metadata address',
    undefined,
    false,
    'http://169.254.169.254/',
    'error: 169.254.169.254 is a link-local',
  ],
  [
    'no list, and strict: no metadata address',
    undefined,
    true,
    'http://[fe80::1]/',
    'error: [fe80::1] is a link-local',
  ],
  [
    'a list with it: no metadata address',
    [readHostPattern('169.254.169.254')!],
    false,
    'http://169.254.169.254/',
    'error',
  ],
])('%s', (_what, webhookHosts, strict, url, problem) => {
  const found = documentPolicy({ ownEnv: [], ...(webhookHosts && { webhookHosts }) }, { strict }).host(new URL(url))
  expect(found && `${found.severity}: ${found.message}`).toEqual(problem && expect.stringContaining(problem))
})
