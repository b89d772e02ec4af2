import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { tooLong } from '../../src/adapter/list-error.ts'
import { readDirectory } from '../../src/steps/read-directory.ts'
import { stillService } from './support/still-service.ts'

const GROUPS = [{ groupId: '9', groupMembers: [5] }]
const LISTS = { 'groups.list': GROUPS, 'partners.list': [{ id: 5 }, { id: 6 }] }
const BOTH = { groups: GROUPS, partnerIds: ['5', '6'] }
const NOTHING = { groups: undefined, partnerIds: undefined }
const match = (own: object) => ({ matchId: '7', status: 'FINISHED', ...own })

test.each([
  ['shows an approver', [match({}), match({ matchApprover: '5' })], BOTH],
  ['shows an approver beside the requester', [match({ matchApprover: '5', matchRequestor: 1 })], BOTH],
  ['shows only the requester', [match({ matchApprover: '1', matchRequestor: 1 })], NOTHING],
  ['shows nobody', [match({ matchApprover: '' }), match({})], NOTHING],
  ['is there', [], NOTHING],
] as const)('groups and partners are read if a match %s', async (_, matches, directory) => {
  expect(await readDirectory(matches as never, stillService({ listed: LISTS }))).toEqual(directory)
})

const request = { operation: 'groups.list', method: 'GET', path: '/api/groups' }
const forbidden = new ApiError(request, { code: 'access-refused', outcome: 'rejected', status: 403 })

test.each([
  ['a refusal', forbidden],
  ['a list that is too long', tooLong('groups.list', 1)],
])('a part that cannot be read, for %s, is not known, and the other is', async (_, error) => {
  const service = stillService({ listed: LISTS })
  const read = (failing: string) => {
    const items = (operation: string) => {
      if (operation === failing) throw error
      return service.api.items(operation as 'groups.list', {})
    }
    return readDirectory([match({ matchApprover: '5' })], {
      ...service,
      api: { ...service.api, items: items as never },
    })
  }
  expect(await read('groups.list')).toEqual({ ...BOTH, groups: undefined })
  expect(await read('partners.list')).toEqual({ ...BOTH, partnerIds: undefined })
})

test('an error of this program is told', async () => {
  const service = stillService({})
  const bug = new TypeError('x is not a function')
  const items = () => {
    throw bug
  }
  const api = { ...service.api, items: items as never }
  await expect(readDirectory([match({ matchApprover: '5' })], { ...service, api })).rejects.toBe(bug)
})
