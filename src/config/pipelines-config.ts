import { resolve } from 'node:path'
import { DAY_MS, parseDuration } from '../core/duration.ts'
import { exactObject, type Static } from '../core/json-schema.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import type { GitAccess } from '../platform/git/remote-env.ts'
import { durationOf, durationSetting, nonEmptyText, program } from './schema-parts.ts'

/** A repository from which pipelines are deployed. */
const git = exactObject({
  required: ['url'],
  description: 'The git repository from which the pipelines are deployed, instead of a folder.',
  properties: {
    url: nonEmptyText(
      'Its address: https://…, ssh://…, git@host:path, or file:///… . It must not contain a password: give tokenFile, or sshKeyFile.',
    ),
    ref: nonEmptyText('A branch or a tag, or the 40 digits of a commit, which then stays in use. Default: main.'),
    path: nonEmptyText(
      'The folder of the pipelines in the repository; . means the whole repository. Default: pipelines.',
    ),
    every: durationSetting('How often it is checked, from 10s to 1d. Default: 1m.'),
    token: nonEmptyText('The access token itself. Better: tokenFile, tokenEnv or tokenCommand.'),
    tokenEnv: nonEmptyText('Name of the environment variable with the access token.'),
    tokenFile: nonEmptyText(
      'Path of a file with the access token, relative to this file; it is read again for each check.',
    ),
    tokenCommand: program('A program and its arguments that print the access token; no shell is involved.'),
    sshKeyFile: nonEmptyText(
      'Path of the private key for ssh, relative to this file; only the user of audience may read it.',
    ),
    knownHosts: nonEmptyText(
      'Path of a file with the host key of the server, as ssh-keyscan prints it. Required with ssh.',
    ),
    signedBy: nonEmptyText(
      'Path of a file with the allowed signers: a commit must have an ssh signature by one of them.',
    ),
    workdir: nonEmptyText(
      'The folder, relative to this file, that replaces `path` in the relative paths of watched folders and of their done and failed folders. Required if a document has such a path.',
    ),
  },
})

/** Where the pipelines come from. */
export const pipelines = {
  type: ['string', 'object'],
  minLength: 1,
  additionalProperties: false,
  required: ['git'],
  properties: { git },
  description:
    'The folder of the pipelines that audience start runs, relative to this file; or { git: … }, a repository from which they are deployed. Default: pipelines.',
} as const

type GitConfig = Static<typeof git>
export type PipelinesConfig = string | { readonly git: GitConfig }

/** A repository from which pipelines are deployed. Its paths are absolute. */
export interface GitSettings extends Omit<GitAccess, 'token'> {
  readonly ref: string
  /** Without slashes at either end. If empty, the whole repository. */
  readonly path: string
  readonly everyMs: number
  readonly token: Pick<GitConfig, 'token' | 'tokenEnv' | 'tokenFile' | 'tokenCommand'>
  readonly signedBy: string | undefined
  readonly workdir: string | undefined
}

const DEFAULT_EVERY_MS = 60_000
const LEAST_EVERY_MS = 10_000

/** The repository of a configuration that `checkPipelines` has checked; undefined for a folder. */
export function gitSettings(config: PipelinesConfig | undefined, folder: string): GitSettings | undefined {
  if (config === undefined || typeof config === 'string') return undefined
  const { url, ref = 'main', path = 'pipelines', every, sshKeyFile, knownHosts, signedBy, workdir } = config.git
  const { token, tokenEnv, tokenFile, tokenCommand } = config.git
  const at = (file: string | undefined) => (file === undefined ? undefined : resolve(folder, file))
  const address = addressOf(url)
  if (typeof address === 'string') throw new Error(address)
  return {
    ...address,
    ref,
    path: path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/'),
    everyMs: durationOf(every, DEFAULT_EVERY_MS),
    token: { token, tokenEnv, tokenFile: at(tokenFile), tokenCommand },
    ssh:
      sshKeyFile === undefined || knownHosts === undefined
        ? undefined
        : { keyFile: resolve(folder, sshKeyFile), knownHosts: resolve(folder, knownHosts) },
    signedBy: at(signedBy),
    workdir: at(workdir),
  }
}

/** The parts of an address; or a message that says why it cannot be used. */
function addressOf(url: string): Pick<GitSettings, 'url' | 'protocol' | 'user'> | string {
  // git@host:path
  if (/^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:(?!\/\/)[^\s:-][^\s]*$/.test(url))
    return { url, protocol: 'ssh', user: undefined }
  const parsed = URL.parse(url)
  const protocol = parsed?.protocol.replace(':', '')
  if (!parsed || !(protocol === 'https' || protocol === 'http' || protocol === 'ssh' || protocol === 'file'))
    return 'url must begin with https://, ssh:// or file:///, or be git@host:path'
  if (parsed.password !== '') return 'url contains a password, which would then appear in files and messages'
  if (parsed.search !== '' || parsed.hash !== '' || /[\s\p{Cc}]/u.test(url))
    return 'url must be an address and nothing else'
  if (protocol === 'file')
    return parsed.host === ''
      ? { url, protocol, user: undefined }
      : 'an address with file: must not have a host: write file:///path'
  if (!/^\[?[A-Za-z0-9]/.test(parsed.hostname)) return 'url has no host'
  if (protocol === 'ssh') return { url, protocol, user: undefined }
  const user = parsed.username === '' ? undefined : decodeURIComponent(parsed.username)
  parsed.username = ''
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname)
  if (protocol === 'http' && !isHere) return 'http: sends the token and the pipelines unencrypted: write https://'
  return { url: parsed.href, protocol, user }
}

/** Checks what the schema of audience.yaml cannot express about `pipelines`. */
export function checkPipelines(root: DocumentNode, reporter: DiagnosticCollector): void {
  const its = childOf(childOf(root, 'pipelines'), 'git')
  if (its?.kind !== 'map') return
  const wrong = (message: string, key: string, hint?: string) =>
    reporter.wrongValue(message, childOf(its, key) ?? its, hint)
  const url = textOf(childOf(its, 'url'))
  const address = url === undefined ? undefined : addressOf(url)
  if (typeof address === 'string')
    return void wrong(address, 'url', 'such as https://git.example.com/data/pipelines.git')
  const ref = textOf(childOf(its, 'ref'))
  if (ref !== undefined && !isRef(ref))
    wrong('ref must be the name of a branch or a tag, or the 40 digits of a commit', 'ref')
  const path = textOf(childOf(its, 'path'))
  if (path !== undefined && !isInside(path))
    wrong('path must be a folder in the repository, without .. and without a / at the beginning', 'path')
  const everyMs = parseDuration(textOf(childOf(its, 'every')) ?? '1m')
  if (everyMs !== undefined && (everyMs < LEAST_EVERY_MS || everyMs > DAY_MS))
    wrong('every must be from 10s to 1d', 'every')
  const tokens = ['token', 'tokenEnv', 'tokenFile', 'tokenCommand'].filter((key) => childOf(its, key))
  const [, second] = tokens
  if (second) wrong(`${tokens.join(' and ')} name the same token`, second, 'keep one of them')
  const isSsh = address?.protocol === 'ssh'
  for (const key of ['sshKeyFile', 'knownHosts']) {
    const isThere = childOf(its, key) !== undefined
    if (isSsh && !isThere) wrong(`ssh needs ${key}`, 'url', 'a host key that is new or changed is never accepted')
    if (address && !isSsh && isThere) wrong(`${key} is for ssh`, key)
    if (/["%\s]/.test(textOf(childOf(its, key)) ?? '')) wrong(`${key} must not contain a space, " or %`, key)
  }
  const [first] = tokens
  if (first && address && address.protocol !== 'https' && address.protocol !== 'http')
    wrong(`a token is for https: ${address.protocol} does not send a token`, first)
}

function isRef(ref: string): boolean {
  return /^[A-Za-z0-9_][\w./+-]{0,200}$/.test(ref) && !/\.\.|\/\/|\/$|\.lock$|\.$/.test(ref)
}

function isInside(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..') && !/[\p{Cc}:\\]/u.test(path)
}
