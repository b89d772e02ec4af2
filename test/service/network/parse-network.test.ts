import { expect, test } from 'vitest'
import { InvalidDocumentError } from '../../../src/core/errors.ts'
import { parseNetwork } from '../../../src/service/network/parse-network.ts'

const SMALL = `version: 1
participants:
  - { id: 1, name: Caller }
  - { id: 2, name: Owner, deliveryScopes: [CABLE] }
`

function problemsOf(text: string): string[] {
  try {
    parseNetwork(text, 'network.yaml')
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error
    return error.diagnostics.map(
      ({ code, message, hint, at }) => `${at?.line}:${at?.column} ${code}: ${message}${hint ? ` (${hint})` : ''}`,
    )
  }
  return []
}

test('a small file gets every default', () => {
  const network = parseNetwork(SMALL, 'network.yaml')
  expect(network.participants[1]).toMatchObject({
    id: 2,
    approval: 'auto',
    minimumSegmentSize: 0,
    deliveryScopes: ['CABLE'],
  })
  expect(network.participants[1]?.features.map(({ type }) => type)).toEqual([
    'SEGMENT_UPLOAD',
    'SEGMENT_SHARE',
    'SEGMENT_MATCH',
  ])
  expect(network).toMatchObject({ groups: [], integrations: [], population: { people: 100_000 } })
})

test('a 64-bit group id keeps every digit, as a decimal string', () => {
  const { groups } = parseNetwork(
    `${SMALL}groups:\n  - { groupId: 9007199254740993, groupName: G, groupMembers: [2] }\n`,
    'n.yaml',
  )
  expect(groups).toMatchObject([{ groupId: '9007199254740993', groupAccess: [1, 2], parameters: { roles: null } }])
})

test.each([
  ['latencies: fast', { PENDING: 60, READY: 40, RUNNING: 150 }],
  ['latencies: realistic', { PENDING: 20_000, READY: 10_000, RUNNING: 180_000 }],
  ['latencies: { RUNNING: 2s }', { PENDING: 60, READY: 40, RUNNING: 2000 }],
])('%s', (line, latencies) => {
  expect(parseNetwork(`${SMALL}${line}\n`, 'network.yaml').latencies).toEqual(latencies)
})

test.each([
  ['version: 1\n', '1:1 missing-key: participants is missing (participants: The first one is the caller.)'],
  ['version: 2\nparticipants: [{ id: 1, name: A }]\n', '1:10 wrong-value: version must be 1'],
  [`${SMALL}grups: []\n`, '5:1 unknown-key: grups is not known at the top of a network (did you mean groups?)'],
  [
    `${SMALL}  - { id: 3, name: C, delivryScopes: [] }\n`,
    '5:23 unknown-key: delivryScopes is not known here (did you mean deliveryScopes?)',
  ],
  [`${SMALL}  - { id: "3", name: C }\n`, '5:11 wrong-type: id must be an integer (write 3 without quotes)'],
  [`${SMALL}  - { id: 99999999999999999999, name: C }\n`, '5:11 wrong-type: id must be an integer'],
  [`${SMALL}  - { id: 2, name: C }\n`, '5:11 duplicate-id: the id 2 is used twice (give each its own id)'],
  [`${SMALL}latencies: slow\n`, '5:12 wrong-value: latencies must be one of fast, realistic'],
  [`${SMALL}latencies: { PENDNG: 1s }\n`, '5:14 unknown-key: PENDNG is not known here (did you mean PENDING?)'],
  [
    `${SMALL}latencies: { READY: 1 s }\n`,
    '5:21 wrong-value: READY must be a duration such as 500ms, 30s, 15m, 2h or 7d (write 1s)',
  ],
  [
    `${SMALL}groups:\n  - { groupId: 1, groupName: G, groupMembers: [2, 7] }\n`,
    '6:51 unknown-participant: participant 7 is not in this network (add it under participants, or correct the id)',
  ],
  [
    `${SMALL}  - { id: 3, name: C, customDeliveryScopesDetail: [{ label: L, value: CUSTOM_2 }] }\n`,
    '5:71 unknown-scope: CUSTOM_2 is not among the deliveryScopes of participant 3 (add CUSTOM_2 to its deliveryScopes)',
  ],
])('%j is refused', (text, problem) => {
  expect(problemsOf(text)).toEqual([problem])
})

test('broken YAML is refused where it breaks', () => {
  expect(problemsOf('version: 1\nversion: 1\n')).toContainEqual(expect.stringMatching(/^2:1 duplicate-key: /))
})
