import { expect, test } from 'vitest'
import { ApiError } from '../../../src/adapter/api-error.ts'
import { sendDelete } from '../../../src/steps/writes/send-delete.ts'

const REQUEST = { operation: 'segments.delete', method: 'DELETE', path: '/api/segments/7' }
const failed = (status: number, outcome: 'rejected' | 'unknown' = 'rejected') =>
  new ApiError(REQUEST, {
    code: status === 404 ? 'not-found' : status < 500 ? 'rejected' : 'service-error',
    outcome,
    status,
  })
const THERE = { id: '7' }
const GONE = failed(404)

/** Deletes a segment. `again`: an earlier process may have sent the request already. */
async function deleted(answer: ApiError | undefined, reads: object, own: { again?: true; mayBeGone?: true } = {}) {
  const { again, ...rest } = own
  const sent: unknown[] = []
  const recorded: string[] = []
  const call = async (operation: string, input: object) => {
    if (operation !== 'segments.delete') return reads instanceof ApiError ? Promise.reject(reads) : reads
    sent.push(input)
    return answer ? Promise.reject(answer) : undefined
  }
  const { signal } = new AbortController()
  const context = {
    once: async (name: string, effect: (signal: AbortSignal) => unknown) => {
      recorded.push(name)
      return again && name === 'old.intent' ? { input: { id: '7' } } : effect(signal)
    },
  }
  const services = { api: { untyped: { call } } }
  const step = { context, services } as unknown as Parameters<typeof sendDelete>[2]
  const end = await sendDelete('segments.delete', { id: again ? '8' : '7' }, step, { name: 'old.', ...rest }).catch(
    (error: unknown) => error,
  )
  expect(sent).toEqual([{ id: '7' }])
  expect(recorded).toEqual(['old.intent', 'old.answer'])
  return end
}

test('what is deleted is done', async () => {
  expect(await deleted(undefined, THERE)).toEqual({})
})

test.each([404, 400])(
  'what is not there (%s) is an error, unless the step may have deleted it or allows it',
  async (status) => {
    const answer = failed(status)
    expect(await deleted(answer, GONE)).toBe(answer)
    expect(await deleted(answer, GONE, { mayBeGone: true })).toEqual({})
    expect(await deleted(answer, GONE, { again: true })).toEqual({})
  },
)

test.each([404, 400])('a refusal (%s) of what can still be read is an error', async (status) => {
  const answer = failed(status)
  for (const own of [{ mayBeGone: true }, { again: true }] as const)
    expect(await deleted(answer, THERE, own)).toBe(answer)
})

test('a refusal that says nothing about it counts as done only where the step may have deleted it', async () => {
  const answer = failed(403)
  expect(await deleted(answer, GONE, { mayBeGone: true })).toBe(answer)
  expect(await deleted(answer, GONE, { again: true })).toEqual({})
  expect(await deleted(answer, THERE, { again: true })).toBe(answer)
})

test('a request without an answer is no refusal', async () => {
  const answer = failed(503, 'unknown')
  for (const own of [{}, { mayBeGone: true }, { again: true }] as const)
    expect(await deleted(answer, GONE, own)).toBe(answer)
})
