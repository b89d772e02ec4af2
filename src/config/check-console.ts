import type { BlockList } from 'node:net'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'

/** Checks what the schema of audience.yaml cannot express about the console: its tokens, its public address and its proxy. */
export function checkConsole(root: DocumentNode, reporter: DiagnosticCollector): void {
  const console = childOf(root, 'console')
  const names = new Set<string>()
  for (const token of itemsOf(childOf(console, 'tokens'))) {
    const name = textOf(childOf(token, 'name')) ?? ''
    if ((childOf(token, 'tokenEnv') === undefined) === (childOf(token, 'tokenFile') === undefined))
      reporter.error({ code: 'wrong-value', message: `the token ${name} needs either tokenEnv or tokenFile` }, token)
    if (names.has(name)) reporter.error({ code: 'wrong-value', message: `two tokens have the name ${name}` }, token)
    names.add(name)
  }
  const publicUrl = childOf(console, 'publicUrl')
  const url = textOf(publicUrl)
  if (publicUrl && url !== undefined && !isPublicUrl(url)) {
    const hint = 'write https://tools.example.com/audience/'
    reporter.error(
      { code: 'wrong-value', message: 'publicUrl must be an http(s) address that ends with /', hint },
      publicUrl,
    )
  }
  const net = process.getBuiltinModule('node:net')
  for (const peer of itemsOf(childOf(childOf(console, 'proxy'), 'peers'))) {
    if (addPeer(new net.BlockList(), textOf(peer) ?? '')) continue
    const hint = 'write an address such as 10.0.0.5, or a network such as 10.0.0.0/24'
    reporter.error({ code: 'wrong-value', message: `${textOf(peer)} is no address`, hint }, peer)
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
