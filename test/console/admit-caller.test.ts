import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { apiOperations } from '../../src/console/api/operations.ts'
import { admitCaller } from '../../src/console/server/admit-caller.ts'
import type { ApiFailure } from '../../src/console/server/api-failure.ts'
import type { Caller } from '../../src/console/server/caller.ts'

const OWN = { 'sec-fetch-site': 'same-origin', 'x-audience-console': '1', 'content-type': 'application/json' }
const PLAIN = {
  host: 'tools:9471',
  origin: 'http://tools:9471',
  'x-audience-console': '1',
  'content-type': OWN['content-type'],
}
const FILE = { ...OWN, 'content-type': 'application/octet-stream' }

interface Asks {
  readonly of?: keyof typeof apiOperations
  readonly headers?: Record<string, string>
  readonly role?: Caller['role']
  readonly via?: Caller['via']
  readonly readOnly?: boolean
  readonly publicUrl?: string
}

function asked({ of = 'runs.start', headers = OWN, role = 'operator', via = 'session', ...rest }: Asks): string {
  const caller: Caller = { by: 'ana', role, via, address: '10.0.0.1' }
  try {
    admitCaller({ headers } as unknown as IncomingMessage, apiOperations[of], {
      ...{ caller, readOnly: false, publicUrl: undefined },
      ...rest,
    })
    return 'let in'
  } catch (error) {
    const { status, body } = error as ApiFailure
    return `${status} ${body.code}`
  }
}

test.each<[string, Asks, string]>([
  ['a write of an own page', {}, 'let in'],
  ['with a charset', { headers: { ...OWN, 'content-type': 'Application/JSON; charset=utf-8' } }, 'let in'],
  ['a write over plain HTTP', { headers: PLAIN }, 'let in'],
  ['of another port', { headers: { ...PLAIN, origin: 'http://tools:80' } }, '403 cross-site'],
  ['of no origin that can be read', { headers: { ...PLAIN, origin: 'null' } }, '403 cross-site'],
  [
    'behind a proxy',
    { headers: { ...PLAIN, origin: 'https://p.example' }, publicUrl: 'https://p.example/a/' },
    'let in',
  ],
  [
    'not over its HTTP',
    { headers: { ...PLAIN, origin: 'http://p.example' }, publicUrl: 'https://p.example/a/' },
    '403 cross-site',
  ],
  ['typed into the address', { headers: { ...OWN, 'sec-fetch-site': 'none' } }, '403 cross-site'],
  ['of a page of another site', { headers: { ...OWN, 'sec-fetch-site': 'cross-site' } }, '403 cross-site'],
  ['a read that was typed', { of: 'runs.list', headers: { 'sec-fetch-site': 'none' } }, 'let in'],
  [
    'a read of another site',
    { of: 'runs.list', headers: { 'sec-fetch-site': 'same-site' }, via: 'token' },
    '403 cross-site',
  ],
  [
    'a person of a proxy needs the header, too',
    { headers: { ...OWN, 'x-audience-console': undefined as never }, via: 'proxy' },
    '403 header-missing',
  ],
  ['a program needs none', { headers: { 'content-type': 'application/json' }, via: 'token' }, 'let in'],
  ['a program says the type', { headers: {}, via: 'token' }, '415 wrong-type'],
  ['an upload has the type of a file', { of: 'files.upload', headers: FILE }, 'let in'],
  ['and no other', { of: 'files.upload' }, '415 wrong-type'],
  ['nor has another write that of a file', { headers: FILE }, '415 wrong-type'],
  ['a viewer', { role: 'viewer' }, '403 role-missing'],
  ['an operator does not decide', { of: 'runs.decide' }, '403 role-missing'],
  ['an approver does', { of: 'runs.decide', role: 'approver' }, 'let in'],
  ['read only', { readOnly: true }, '403 read-only'],
  ['read only, a read', { of: 'runs.list', readOnly: true }, 'let in'],
  ['read only, a person leaves', { of: 'session.end', readOnly: true }, 'let in'],
])('%s: %o', (_what, asks, outcome) => {
  expect(asked(asks)).toBe(outcome)
})
