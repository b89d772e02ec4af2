import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load-settings.ts'
import { gitSettings } from '../../src/config/pipelines-config.ts'
import { InvalidDocumentError } from '../../src/core/errors.ts'

const settingsOf = (git: string) =>
  gitSettings(parseConfig(`pipelines: { git: { ${git} } }`, 'audience.yaml').pipelines, '/project')

test('a repository has defaults, and its files are relative to the configuration', () => {
  expect(
    settingsOf('url: "https://ana@git.example.com/p.git", tokenFile: token, workdir: work, path: ./a/b/'),
  ).toMatchObject({
    ...{
      url: 'https://git.example.com/p.git',
      user: 'ana',
      protocol: 'https',
      ref: 'main',
      path: 'a/b',
      everyMs: 60_000,
    },
    ...{ token: { tokenFile: '/project/token' }, workdir: '/project/work', ssh: undefined },
  })
  expect(settingsOf('url: "git@git.example.com:p.git", sshKeyFile: key, knownHosts: hosts, path: .')).toMatchObject({
    ...{ protocol: 'ssh', path: '', ssh: { keyFile: '/project/key', knownHosts: '/project/hosts' } },
  })
  expect(gitSettings('pipelines', '/project')).toBeUndefined()
})

test.each([
  ['url: "https://ana:secret@git.example.com/p.git"', /url contains a password/],
  ['url: "http://git.example.com/p.git"', /write https:/],
  ['url: "ext::sh -c touch"', /url must begin with/],
  ['url: "--upload-pack=x"', /url must begin with/],
  ['url: "ssh://-oProxyCommand=x/p"', /url/],
  ['url: "ssh://git@git.example.com/p"', /ssh needs sshKeyFile/],
  ['url: "https://git.example.com/p", sshKeyFile: x', /sshKeyFile is for ssh/],
  ['url: "https://git.example.com/p", ref: --force', /ref must be/],
  ['url: "https://git.example.com/p", ref: "a..b"', /ref must be/],
  ['url: "https://git.example.com/p", path: ../x', /path must be/],
  ['url: "https://git.example.com/p", every: 5s', /every must be from 10s to 1d/],
  ['url: "https://git.example.com/p", tokenEnv: A, tokenFile: b', /name the same token/],
  ['url: "file:///p.git", tokenEnv: A', /a token is for https/],
  ['ref: main', /url/],
])('is refused with its place: %s', (git, expected) => {
  try {
    settingsOf(git)
    expect.unreachable()
  } catch (error) {
    const [first] = (error as InvalidDocumentError).diagnostics
    expect(error).toBeInstanceOf(InvalidDocumentError)
    expect(first).toMatchObject({ message: expect.stringMatching(expected), at: { line: 1 } })
    expect(JSON.stringify(first)).not.toContain('secret')
  }
})
