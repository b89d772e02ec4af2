import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load-settings.ts'
import { policyOf } from '../../src/config/policy-of.ts'
import { sourcesOf } from '../../src/config/sources-config.ts'
import { InvalidDocumentError } from '../../src/core/errors.ts'

test('paths are relative to the file, and a command has half an hour', () => {
  const { sources } = parseConfig(
    'sources: { crm: { path: "in/{date}/*.parquet" }, drops: { command: [get, "{out}"] }, slow: { command: [get, "{out}"], timeout: 2h } }',
    'audience.yaml',
  )
  expect(sourcesOf(sources, '/project')).toEqual({
    crm: { kind: 'path', path: join('/project', 'in/{date}/*.parquet') },
    drops: { kind: 'command', command: ['get', '{out}'], timeoutMs: 1_800_000, folder: '/project' },
    slow: { kind: 'command', command: ['get', '{out}'], timeoutMs: 7_200_000, folder: '/project' },
  })
})

test('servers and buckets keep their files relative to the configuration', () => {
  const { sources } = parseConfig(
    `sources:
  partner: { sftp: { host: sftp.partner.com, user: acme, keyFile: acme, knownHosts: /etc/audience/known_hosts } }
  lake: { s3: { bucket: drops, region: eu-west-1, endpoint: "https://minio.example.com", pathStyle: true, caFile: ca.pem, credentials: default } }
  keyed: { s3: { bucket: drops, region: eu-west-1, accessKeyIdEnv: LAKE_ID, secretAccessKeyEnv: LAKE_KEY } }
`,
    'audience.yaml',
  )
  expect(sourcesOf(sources, '/project')).toEqual({
    partner: {
      kind: 'remote',
      at: {
        ...{ kind: 'sftp', host: 'sftp.partner.com', user: 'acme' },
        ...{ keyFile: '/project/acme', knownHosts: '/etc/audience/known_hosts' },
      },
    },
    lake: {
      kind: 'remote',
      at: {
        ...{ kind: 's3', bucket: 'drops', region: 'eu-west-1', endpoint: 'https://minio.example.com' },
        ...{ pathStyle: true, caFile: '/project/ca.pem' },
      },
    },
    keyed: {
      kind: 'remote',
      at: {
        ...{ kind: 's3', bucket: 'drops', region: 'eu-west-1', pathStyle: false },
        keys: { accessKeyIdEnv: 'LAKE_ID', secretAccessKeyEnv: 'LAKE_KEY' },
      },
    },
  })
})

test('the variables with the keys of a bucket are not for documents', () => {
  const config = parseConfig(
    'sources: { lake: { s3: { bucket: b, region: r, accessKeyIdEnv: LAKE_ID, secretAccessKeyEnv: LAKE_KEY } } }',
    'audience.yaml',
  )
  expect(policyOf(config, '/project/audience.yaml').ownEnv).toEqual(expect.arrayContaining(['LAKE_ID', 'LAKE_KEY']))
})

test.each([
  ['{}', '1:12 wrong-value: source a needs one of path, command, sftp and s3'],
  [
    '{ path: b, command: [c, "{out}"] }',
    '1:12 wrong-value: source a has path and command, but needs exactly one of them',
  ],
  ['{ path: b, timeout: 3m }', '1:35 wrong-value: timeout is only for a command'],
  ['{ sftp: { host: h, user: u, keyFile: k } }', '1:17 missing-key: knownHosts is missing'],
  [
    '{ sftp: { host: "-oProxyCommand=sh", user: u, keyFile: k, knownHosts: n } }',
    '1:31 wrong-value: host must be a name or an address',
  ],
  [
    '{ sftp: { host: "sftp://h", user: u, keyFile: k, knownHosts: n } }',
    '1:31 wrong-value: host must be a name or an address',
  ],
  [
    '{ sftp: { host: h, user: "-l", keyFile: k, knownHosts: n } }',
    '1:40 wrong-value: user must be the name of an account',
  ],
  ['{ sftp: { host: h, port: 0, user: u, keyFile: k, knownHosts: n } }', '1:40 wrong-value: port must be at least 1'],
  [
    '{ s3: { bucket: b, region: r, accessKeyIdEnv: A } }',
    '1:61 missing-key: secretAccessKeyEnv is missing: an access key has two parts',
  ],
  [
    '{ s3: { bucket: b, region: r, credentials: default, accessKeyIdEnv: A, secretAccessKeyEnv: B } }',
    '1:58 wrong-value: credentials come from variables or from the chain of the AWS SDK, not from both',
  ],
  [
    '{ s3: { bucket: b, region: r, endpoint: "https://key:secret@h" } }',
    '1:55 wrong-value: endpoint must be an address and nothing else',
  ],
  [
    '{ path: b, s3: { bucket: b, region: r } }',
    '1:12 wrong-value: source a has path and s3, but needs exactly one of them',
  ],
  ['{ path: "b/{day}" }', '1:23 wrong-value: {day} has no meaning in a path'],
  ['{ command: [c] }', '1:26 wrong-value: the command of a has no {out}, the file to write'],
  ['{ command: c }', '1:26 wrong-type: command must be a list'],
])('%s is refused at its place', (source, expected) => {
  const parse = () => parseConfig(`sources: { a: ${source} }`, 'audience.yaml')
  expect(parse).toThrow(InvalidDocumentError)
  try {
    parse()
  } catch (error) {
    const { diagnostics } = error as InvalidDocumentError
    expect(diagnostics.map(({ at, code, message }) => `${at?.line}:${at?.column} ${code}: ${message}`)).toContain(
      expected,
    )
  }
})
