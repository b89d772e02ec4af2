import { expect, test } from 'vitest'
import { AudienceError } from '../../../src/core/errors.ts'
import { postJson, webhookUrl } from '../../../src/notifications/channels/post-json.ts'
import { systemClock } from '../../../src/platform/clock.ts'

test.each([
  ['https://hooks.example.com/x', true],
  ['http://hooks.example.com/x', true],
  ['ftp://hooks.example.com/x', false],
  ['/x', false],
  ['', false],
  ['https://user@hooks.example.com/x', false],
  ['https://:password@hooks.example.com/x', false],
])('the URL of a web hook: %s, %s', (text, isGood) => {
  if (isGood) expect(webhookUrl(text).href).toBe(text)
  else expect(() => webhookUrl(text, 'of ops')).toThrow('the URL of the web hook of ops cannot be used')
})

/** The message about a request that fails like this. */
function post(error: Error) {
  return postJson(new URL('https://hooks.example.com/s3cret'), '{}', {
    signal: new AbortController().signal,
    clock: { ...systemClock, now: () => 0 },
    redact: (text) => text,
    post: () => Promise.reject(error),
  })
}
const coded = (code: string) => Object.assign(new Error('at https://hooks.example.com/s3cret'), { code })

test.each([
  ['its code', new Error('fetch failed', { cause: coded('EODD') }), 'EODD'],
  [
    'the code of a cause further below',
    new Error('failed', { cause: new Error('x', { cause: coded('EODD') }) }),
    'EODD',
  ],
  ['nothing else', new Error('at https://hooks.example.com/s3cret'), 'the request failed'],
])('of a failure people are told %s', async (_what, error, failure) => {
  expect(await post(error)).toEqual({ failure })
})

test.each(['itself', 'the cause'])('a refusal of the policy is thrown: %s', async (where) => {
  const refusal = new AudienceError({ code: 'host-not-allowed', kind: 'invalid', message: 'no' })
  await expect(post(where === 'itself' ? refusal : new Error('failed', { cause: refusal }))).rejects.toBe(refusal)
})
