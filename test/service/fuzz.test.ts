import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperationId, operationOf, operations } from '../../src/contract/operations.ts'
import { anyCodePoint } from '../support/any-code-point.ts'
import { tries } from '../support/tries.ts'
import { multipart, newSegment, startTestService, type TestService } from './support/start-test-service.ts'

let bench: TestService
beforeAll(async () => {
  bench = await startTestService()
  await bench.upload('a.csv', 'ann')
})
afterAll(() => bench.close())

const ids = Object.keys(operations) as OperationId[]
const fields = [...new Set(ids.flatMap((id) => Object.keys(operationOf(id).input.properties)))]
const value = fc.oneof(
  fc.jsonValue({ depthSize: 'small' }),
  fc.constantFrom(
    'EMAIL',
    'BGID',
    'HASHED',
    'a.csv',
    'REQUEST',
    '',
    ' ',
    '\u0000',
    -0,
    1e308,
    2001,
    9001,
    ['CABLE'],
    null,
  ),
)
const text = fc.oneof(
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom('', '..', '%', '1', '-1', '99999999999999999999', 'match', 'EMAIL'),
)

describe('whatever is sent', () => {
  test('is answered, and never with a fault of the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ids),
        fc.dictionary(fc.constantFrom(...fields), value),
        fc.dictionary(fc.constantFrom(...fields), text),
        fc.infiniteStream(text),
        async (id, body, query, words) => {
          const { method, path } = operationOf(id)
          const filled = path.replaceAll(/\{\w+\}/g, () => escaped(String(words.next().value)) || 'x')
          const search = Object.entries(query).map(([name, sent]) => `${name}=${escaped(sent)}`)
          const sent =
            method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify({ ...newSegment('a'), ...body }) }
          const answer = await bench.send(`${method} ${filled}?${search.join('&')}`, sent)
          expect(answer.status, `${method} ${filled} ${JSON.stringify(answer.body)}`).toBeLessThan(500)
          expect(answer.headers['x-request-id']).toBeDefined()
        },
      ),
      { numRuns: tries(200, 500) },
    )
  })

  test('as a body of bytes', async () => {
    const type = fc.constantFrom('application/json', 'multipart/form-data; boundary=--boundary', 'text/plain', '')
    const target = fc.constantFrom(
      'POST /api/segments',
      'PUT /api/segments/x/refresh',
      'POST /api/files?uploadSignal=IP&resultContent=BGID',
    )
    await fc.assert(
      fc.asyncProperty(target, type, fc.uint8Array({ maxLength: 300 }), async (to, contentType, bytes) => {
        const answer = await bench.send(to, { body: bytes, headers: { 'content-type': contentType } })
        expect(answer.status, answer.text).toBeLessThan(500)
      }),
      { numRuns: tries(80, 200) },
    )
  })

  test('as a form with bytes changed', async () => {
    const { body, headers } = multipart([{ name: 'file', fileName: 'a.csv', content: 'ann\nben' }])
    const change = fc.tuple(fc.nat(body.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = Uint8Array.from(body)
        for (const [index, byte] of changes) changed[index] = byte
        const answer = await bench.send('POST /api/files?uploadSignal=IP&resultContent=BGID', {
          body: changed,
          headers,
        })
        expect(answer.status, answer.text).toBeLessThan(500)
      }),
      { numRuns: tries(120, 300) },
    )
  })
})

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
