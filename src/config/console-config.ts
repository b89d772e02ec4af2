import type { BlockList } from 'node:net'
import { resolve } from 'node:path'
import { exactObject, flag, integer, limitedList, matching, type Static } from '../core/json-schema.ts'
import { ROLES } from '../core/role.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import { nonEmptyText, nonEmptyTexts } from './schema-parts.ts'

const people = (role: string) =>
  nonEmptyTexts(
    `Who is ${role}: names as the proxy gives them, groups as group:NAME, or "*" for everybody whom the proxy lets through.`,
  )

/** A path that begins with / and ends with /. */
export const BASE_PATH_PATTERN = '^/([A-Za-z0-9._~-]+/)*$'

/** The web console and the API of `audience start`. */
export const consoleSchema = exactObject({
  description: 'The web console and the API of audience start; docs/console.md explains them.',
  properties: {
    host: nonEmptyText('The address that it listens on. Default: 127.0.0.1.'),
    port: integer(
      { minimum: 0, maximum: 65535 },
      'Its port; 0 picks a free one. Default: 9471, or a free one if that is in use.',
    ),
    basePath: matching(
      BASE_PATH_PATTERN,
      'The path prefix of all its addresses, such as /tools/audience/. Default: /.',
    ),
    publicUrl: nonEmptyText(
      'The address at which people reach it through a proxy: https://tools.example.com/audience/. The console answers requests for the host in this address.',
    ),
    readOnly: flag('People can only look and cannot change anything. Default: false.'),
    roles: exactObject({
      description:
        'The roles of people whom a proxy names. A viewer can look. An operator can also run, cancel, retry, pause, upload and change the embedded service. An approver can also decide. People who are in no list are refused.',
      properties: { viewer: people('a viewer'), operator: people('an operator'), approver: people('an approver') },
    }),
    proxy: exactObject({
      required: ['peers', 'userHeader'],
      description: 'A proxy that signs people in and names them in headers.',
      properties: {
        peers: limitedList(
          { minItems: 1 },
          { type: 'string', minLength: 1 },
          'The addresses from which the proxy connects, such as 10.0.0.5 or 10.0.0.0/24. Other senders are not trusted.',
        ),
        userHeader: nonEmptyText('The header with the name of the person, such as X-Forwarded-User.'),
        groupsHeader: nonEmptyText('The header with the groups of the person, separated by commas.'),
      },
    }),
    tokens: limitedList(
      { maxItems: 100 },
      exactObject({
        required: ['name', 'role'],
        properties: {
          name: nonEmptyText('The user of the token, for the audit log.'),
          role: { enum: ROLES, description: 'The role of the token; see `roles`.' },
          tokenEnv: nonEmptyText('Name of the environment variable with the token.'),
          tokenFile: nonEmptyText('Path of a file with the token.'),
        },
      }),
      'Tokens for programs: Authorization: Bearer TOKEN. Each has either tokenEnv or tokenFile, and at least 16 characters.',
    ),
  },
})

type ConsoleConfig = Static<typeof consoleSchema>

/** The console of `audience start`, with defaults; `port` is undefined if nothing names one. */
export interface ConsoleSettings extends Pick<ConsoleConfig, 'publicUrl' | 'port'> {
  readonly host: string
  readonly basePath: string
  readonly readOnly: boolean
  readonly roles: NonNullable<ConsoleConfig['roles']>
  readonly proxy?: ConsoleConfig['proxy']
  /** The tokens; the paths of their files are absolute. */
  readonly tokens: NonNullable<ConsoleConfig['tokens']>
}

/** `folder` is the folder of the configuration. */
export function consoleSettings(config: ConsoleConfig = {}, folder: string): ConsoleSettings {
  const { host = '127.0.0.1', basePath = '/', readOnly = false, roles = {}, tokens = [], ...rest } = config
  const absolute = tokens.map((token) => ({ ...token, tokenFile: token.tokenFile && resolve(folder, token.tokenFile) }))
  return { ...rest, host, basePath, readOnly, roles, tokens: absolute }
}

/**
 * Checks what the schema of audience.yaml cannot express about the console: its tokens, its public address and its
 * proxy.
 */
export function checkConsole(root: DocumentNode, reporter: DiagnosticCollector): void {
  const console = childOf(root, 'console')
  const names = new Set<string>()
  for (const token of itemsOf(childOf(console, 'tokens'))) {
    const name = textOf(childOf(token, 'name')) ?? ''
    if ((childOf(token, 'tokenEnv') === undefined) === (childOf(token, 'tokenFile') === undefined))
      reporter.wrongValue(`the token ${name} needs either tokenEnv or tokenFile`, token)
    if (names.has(name)) reporter.wrongValue(`two tokens have the name ${name}`, token)
    names.add(name)
  }
  const publicUrl = childOf(console, 'publicUrl')
  const url = textOf(publicUrl)
  if (publicUrl && url !== undefined && !isPublicUrl(url)) {
    const hint = 'write https://tools.example.com/audience/'
    reporter.wrongValue('publicUrl must be an http(s) address that ends with /', publicUrl, hint)
  }
  const net = process.getBuiltinModule('node:net')
  for (const peer of itemsOf(childOf(childOf(console, 'proxy'), 'peers'))) {
    if (addPeer(new net.BlockList(), textOf(peer) ?? '')) continue
    const hint = 'write an address such as 10.0.0.5, or a network such as 10.0.0.0/24'
    reporter.wrongValue(`${textOf(peer)} is not an address`, peer, hint)
  }
}

/** Adds an address or a network to a list; returns whether the text is one. */
export function addPeer(list: BlockList, peer: string): boolean {
  const [address = '', prefix, ...rest] = peer.split('/')
  const version = process.getBuiltinModule('node:net').isIP(address)
  if (version === 0 || rest.length > 0) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (prefix === undefined) list.addAddress(address, family)
  else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
    list.addSubnet(address, Number(prefix), family)
  else return false
  return true
}

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname.endsWith('/') &&
    !url.search &&
    !url.hash &&
    !url.username
  )
}
