import { expect, test } from 'vitest'
import { asFailure } from '../../src/console/server/api-failure.ts'
import { AudienceError, type ErrorKind, WrongFieldsError } from '../../src/core/errors.ts'

/** A client repeats a request after 502 and 503, and never after the others. */
test.each<[code: string, kind: ErrorKind, status: number]>([
  ['state-not-written', 'failed', 503],
  ['state-unreachable', 'unavailable', 503],
  ['run-taken-over', 'failed', 409],
  ['other-service', 'usage', 409],
  ['already-decided', 'usage', 409],
  ['not-waiting', 'usage', 409],
  ['run-ended', 'usage', 409],
  ['run-not-ended', 'usage', 409],
  ['run-not-failed', 'usage', 409],
  ['already-retried', 'usage', 409],
  ['group-busy', 'usage', 409],
  ['key-reused', 'usage', 409],
  ['file-too-large', 'usage', 413],
  ['file-open', 'usage', 409],
  ['file-has-run', 'usage', 409],
  ['file-gone', 'failed', 409],
  ['file-exists', 'usage', 409],
  ['service-not-now', 'failed', 409],
  ['not-an-approver', 'usage', 403],
  ['own-run', 'usage', 403],
  ['state-is-folder', 'invalid', 409],
  ['worker-gone', 'usage', 409],
  ['worker-too-old', 'usage', 409],
  ['worker-not-draining', 'usage', 409],
  ['no-other-worker', 'usage', 409],
  ['not-a-worker', 'usage', 409],
  ['ambiguous-worker', 'usage', 409],
  ['unknown-worker', 'usage', 404],
  ['unknown-file', 'usage', 404],
  ['unknown-trigger', 'usage', 404],
  ['unknown-run', 'usage', 404],
  ['unknown-step', 'usage', 404],
  ['service-not-found', 'failed', 404],
  ['anything', 'usage', 400],
  ['anything', 'invalid', 400],
  ['anything', 'unavailable', 502],
  ['anything', 'restart', 503],
  ['anything', 'interrupted', 503],
  ['anything', 'failed', 500],
])('%s of the kind %s is answered with %i', (code, kind, status) => {
  const failure = asFailure(new AudienceError({ code, kind, message: 'it is so', hint: 'do this' }))
  expect(failure).toMatchObject({ status, body: { code, message: 'it is so', hint: 'do this' } })
})

test('what is wrong with each field is answered', () => {
  const error = new WrongFieldsError('bad-request', 'name: is too long', { name: 'is too long' })
  expect(asFailure(error)).toMatchObject({
    status: 400,
    body: { code: 'bad-request', fields: { name: 'is too long' } },
  })
})

test('nobody outside may read an error of ours', () => {
  expect(asFailure(new TypeError('x is undefined'))).toBeUndefined()
})
