import { expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { ApiError } from '../../src/adapter/api-error.ts'
import { isGone, lookAfter } from '../../src/adapter/look-after.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import type { Outcome } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'

const REQUEST = { operation: 'o', method: 'POST', path: '/p' }
const lost = (outcome: Outcome = 'unknown') => new ApiError(REQUEST, { code: 'connection-lost', outcome })
const absent = new ApiError(REQUEST, { code: 'not-found', outcome: 'rejected', status: 404 })

/** A service that shows something, or fails to. */
function showing(shown: JsonObject | Error, files: readonly string[] = []) {
  const asked: unknown[] = []
  const reads = {
    call: async (id: OperationId, input: JsonObject) => {
      asked.push([id, input])
      if (shown instanceof Error) throw shown
      return shown
    },
    async *items(id: OperationId, input: JsonObject) {
      asked.push([id, input])
      for (const name of files) yield { name }
    },
  } as unknown as ApiClient['untyped']
  return { reads, asked }
}

test.each<[JsonObject, JsonObject, boolean]>([
  [{ name: 'n' }, { name: 'n', other: 1 }, true],
  [{ name: 'n' }, { name: 'm' }, false],
  [{ name: 'n' }, { other: 1 }, false],
  [{ name: '' }, { name: null }, true],
  [{ name: null }, { name: '' }, true],
  [{ flag: false }, { flag: null }, true],
  [{ flag: true }, { flag: false }, false],
  [{ count: 0 }, { count: null }, false],
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
  [{ a: 1, b: 2 }, { a: 1, b: 2 }, true],
])('a lost update that sent %j has happened where the service shows %j: %s', async (sent, shown, hasHappened) => {
  const { reads, asked } = showing(shown)
  const error = lost()
  const seen = lookAfter(error, { id: 'segments.update', input: { id: '7', ...sent } }, reads, {})
  if (hasHappened) expect(await seen).toEqual(shown)
  else await expect(seen).rejects.toBe(error)
  expect(asked).toEqual([['segments.get', { id: '7' }]])
})

test('an answer that is no object does not show that an update has happened', async () => {
  const error = lost()
  for (const shown of ['n', null, undefined])
    await expect(
      lookAfter(error, { id: 'segments.update', input: { id: '7', name: 'n' } }, showing(shown as never).reads, {}),
    ).rejects.toBe(error)
})

test.each(['segments.delete', 'matches.delete', 'activations.delete'] as const)(
  'a lost %s has happened where its read finds nothing',
  async (id) => {
    const error = lost()
    const look = (shown: JsonObject | Error) => lookAfter(error, { id, input: { id: '7' } }, showing(shown).reads, {})
    expect(await look(absent)).toBeUndefined()
    await expect(look({ id: '7' })).rejects.toBe(error)
    // A failed read proves nothing.
    await expect(look(lost())).rejects.toBe(error)
    await expect(isGone(id, { id: '7' }, showing(lost()).reads, {})).rejects.toThrow(ApiError)
    const { reads, asked } = showing(absent)
    expect(await isGone(id, { id: '7' }, reads, {})).toBe(true)
    expect(asked).toEqual([[id.replace('delete', 'get'), { id: '7' }]])
  },
)

test('a file is gone where the list does not have it', async () => {
  const look = (files: readonly string[]) =>
    isGone('files.delete', { file: 'a', bucket: 'b' }, showing({}, files).reads, {})
  expect([await look([]), await look(['b', 'c']), await look(['b', 'a'])]).toEqual([true, true, false])
  const { reads, asked } = showing({})
  await isGone('files.delete', { file: 'a', bucket: 'b' }, reads, {})
  expect(asked).toEqual([['files.list', { bucket: 'b' }]])
  await expect(isGone('segments.get', {}, reads, {})).rejects.toThrow('segments.get deletes nothing')
})

test.each<[string, unknown, OperationId, unknown, boolean]>([
  ['another error', new Error('x'), 'segments.delete', { id: '7' }, false],
  ['a refusal', lost('rejected'), 'segments.delete', { id: '7' }, false],
  ['what was never sent', lost('notSent'), 'segments.delete', { id: '7' }, false],
  [
    'an interruption',
    new ApiError(REQUEST, { code: 'aborted', outcome: 'unknown' }),
    'segments.delete',
    { id: '7' },
    false,
  ],
  ['no input', lost(), 'segments.delete', undefined, false],
  ['another write', lost(), 'activations.create', { id: '7' }, false],
  ['a process that stops', lost(), 'segments.delete', { id: '7' }, true],
])('nothing is looked for after %s', async (_what, error, id, input, isStopping) => {
  const { reads, asked } = showing(absent)
  const options = isStopping ? { signal: AbortSignal.abort() } : {}
  await expect(lookAfter(error, { id, input }, reads, options)).rejects.toBe(error)
  expect(asked).toEqual([])
})
