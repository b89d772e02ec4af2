import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { proxyPeople } from '../../src/console/server/proxy-people.ts'

type Given = Readonly<Record<string, string | readonly string[]>>

const PROXY = { peers: ['10.0.0.0/8', 'fd00::/8'], userHeader: 'X-User', groupsHeader: 'X-Groups' }
const ROLES = { viewer: ['*'], operator: ['bo', 'group:ops'], approver: ['ana', 'group:heads'] }

function asked(peer: string | undefined, headers: Given, settings: object = { proxy: PROXY, roles: ROLES }) {
  const people = proxyPeople(settings as Parameters<typeof proxyPeople>[0])
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]))
  const request = { socket: { remoteAddress: peer }, headersDistinct } as unknown as IncomingMessage
  const person = people.personOf(request)
  return [person && `${person.by} ${person.role}`, people.addressOf(request)]
}

test.each<[string, string | undefined, Given, string | undefined]>([
  ['a listed peer', '10.1.2.3', { 'x-user': 'ana' }, 'ana approver'],
  ['as IPv4 in IPv6', '::ffff:10.1.2.3', { 'x-user': 'bo' }, 'bo operator'],
  ['of IPv6 with a zone', 'fd00::1%eth0', { 'x-user': 'cem' }, 'cem viewer'],
  ['another peer', '11.1.2.3', { 'x-user': 'ana' }, undefined],
  ['no peer', undefined, { 'x-user': 'ana' }, undefined],
  ['nobody', '10.1.2.3', {}, undefined],
  ['an empty name', '10.1.2.3', { 'x-user': '' }, undefined],
  ['two names', '10.1.2.3', { 'x-user': ['bo', 'ana'] }, undefined],
  ['a name of 200 characters', '10.1.2.3', { 'x-user': 'x'.repeat(200) }, `${'x'.repeat(200)} viewer`],
  ['a longer one', '10.1.2.3', { 'x-user': 'x'.repeat(201) }, undefined],
  ['by a group, with blanks', '10.1.2.3', { 'x-user': 'dee', 'x-groups': 'all, ops ' }, 'dee operator'],
  ['the highest of its roles', '10.1.2.3', { 'x-user': 'bo', 'x-groups': 'ops,heads' }, 'bo approver'],
  ['groups twice are none', '10.1.2.3', { 'x-user': 'dee', 'x-groups': ['ops', 'heads'] }, 'dee viewer'],
  ['a group’s name is nobody’s', '10.1.2.3', { 'x-user': 'group:heads' }, 'group:heads viewer'],
  ['a person’s name is no group', '10.1.2.3', { 'x-user': 'dee', 'x-groups': 'ana' }, 'dee viewer'],
])('who a proxy says: %s', (_what, peer, headers, person) => {
  expect(asked(peer, headers)[0]).toBe(person)
})

test('who is in no list has no role; without proxies nobody is believed', () => {
  expect(asked('10.1.2.3', { 'x-user': 'dee' }, { proxy: PROXY, roles: { operator: ['bo'] } })[0]).toBe('dee undefined')
  const nobody = { proxy: undefined, roles: ROLES }
  expect(asked('10.1.2.3', { 'x-user': 'ana', 'x-forwarded-for': '1.2.3.4' }, nobody)).toEqual([undefined, '10.1.2.3'])
})

test.each([
  ['that the nearest proxy saw', '10.1.2.3', '1.2.3.4', '1.2.3.4'],
  ['and not what the browser said before', '10.1.2.3', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['nothing that is not an address', '10.1.2.3', 'me', '10.1.2.3'],
  ['not of another peer', '11.1.2.3', '1.2.3.4', '11.1.2.3'],
])('the address is the one %s', (_what, peer, forwarded, address) => {
  expect(asked(peer, { 'x-forwarded-for': forwarded })[1]).toBe(address)
})
