import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { addPeer, type ConsoleSettings } from '../../config/console-config.ts'
import { ROLES, type Role } from '../../core/role.ts'

/** Reads what the headers of a proxy say about a request. Trusts them only from a listed peer. */
export interface ProxyPeople {
  /** The person and the role. A person who is not in any list of `console.roles` has no role. */
  personOf(request: IncomingMessage): { readonly by: string; readonly role: Role | undefined } | undefined
  /** The address where a request originally came from. */
  addressOf(request: IncomingMessage): string
}

export function proxyPeople({ proxy, roles }: Pick<ConsoleSettings, 'proxy' | 'roles'>): ProxyPeople {
  const peers = new BlockList()
  for (const peer of proxy?.peers ?? []) addPeer(peers, peer)
  const isPeer = (address: string) =>
    proxy !== undefined && isIP(address) !== 0 && peers.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  const roleOf = (by: string, groups: readonly string[]) =>
    ROLES.toReversed().find((role) =>
      roles[role]?.some(
        (name) => name === '*' || (isGroup(name) ? groups.includes(name.slice(GROUP.length)) : name === by),
      ),
    )
  return {
    personOf(request) {
      if (!proxy || !isPeer(peerOf(request))) return undefined
      const by = oneHeader(request, proxy.userHeader)
      if (by === undefined) return undefined
      const groups = proxy.groupsHeader === undefined ? '' : (oneHeader(request, proxy.groupsHeader) ?? '')
      const names = groups.split(',').map((group) => group.trim())
      return { by, role: roleOf(by, names) }
    },
    addressOf(request) {
      const peer = peerOf(request)
      const forwarded = isPeer(peer) ? oneHeader(request, 'x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
      return forwarded !== undefined && isIP(forwarded) !== 0 ? forwarded : peer
    },
  }
}

const GROUP = 'group:'
const MAX_NAME = 200

function isGroup(name: string): boolean {
  return name.startsWith(GROUP)
}

/** The address of the other end. An IPv4 address is written as IPv4. */
function peerOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '') ?? ''
}

/** Reads a header that occurs exactly once, because a second one could come from the browser. */
function oneHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name.toLowerCase()]
  const [value] = values ?? []
  return values?.length === 1 && value !== undefined && value !== '' && value.length <= MAX_NAME ? value : undefined
}
