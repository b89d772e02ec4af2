import { expect, test } from 'vitest'
import { ApiError } from '../../../src/adapter/api-error.ts'
import type { Conclusion } from '../../../src/steps/writes/poll-for-outcome.ts'
import { settle } from '../../../src/steps/writes/settle.ts'

const NOTHING = { confirmed: false, sendsAgain: false, refused: undefined }
const AGAIN = { ...NOTHING, sendsAgain: true }
const SAID = { ...AGAIN, confirmed: true }
const REFUSED = { ...NOTHING, refused: 'was rejected: 400' }
const done = { state: 'done', answer: { id: '7' } } as const
const request = { operation: 'segments.get', method: 'GET', path: '/api/segments/7' }
const error = new ApiError(request, { code: 'service-error', outcome: 'rejected', status: 503 })
const asked = (found: string) => ({ state: 'unknown', found })

test.each<[string, Conclusion, typeof NOTHING | typeof REFUSED, object]>([
  ['is done', done, AGAIN, done],
  ['is one of two', { state: 'ambiguous', why: 'there are two' }, AGAIN, asked('there are two')],
  ['does not end', { state: 'inProgress' }, AGAIN, asked('work in progress at the service has not ended')],
  [
    'cannot be read',
    { state: 'unreachable', error },
    AGAIN,
    { ...asked(`reading the service failed (${error.message})`), cause: error },
  ],
  ['is not done', { state: 'notDone' }, AGAIN, { state: 'notDone' }],
  ['does not show', { state: 'notVisible' }, AGAIN, { state: 'notDone' }],
  ['does not show, and is not sent again', { state: 'notVisible' }, NOTHING, asked('it is not there (yet)')],
  [
    'does not show, and a person said that it was done',
    { state: 'notVisible' },
    SAID,
    asked('you said that it was done, but it is not there (yet)'),
  ],
  [
    'does not show, and was refused',
    { state: 'notDone' },
    REFUSED,
    asked('it is not there (yet), and the second request was rejected: 400'),
  ],
])('what %s', (_, conclusion, standing, settled) => {
  expect(settle(conclusion, standing)).toEqual(settled)
})
