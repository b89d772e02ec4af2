import { expect, test } from 'vitest'
import { validateInput } from '../../src/contract/validate-input.ts'

const match = { segmentId: 's', deliveryScopes: ['CABLE'] }

test.each([
  ['matches.create', { ...match, groupId: true }, 'must be an integer'],
  ['matches.get', { matchId: ['7'] }, 'must be an integer'],
  ['matches.create', { ...match, partnerId: '7' }, 'must be an integer'],
  ['segments.get', { id: 7 }, 'must be a string'],
] as const)('a wrong type in %s is told by the JSON type (decision 148)', (id, input, message) => {
  expect(validateInput(id, input)).toMatchObject([{ keyword: 'type', message }])
})
