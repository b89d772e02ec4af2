import fc from 'fast-check'
import { expect, test } from 'vitest'
import { showsOther } from '../../src/adapter/response-decoder.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { type OperationId, operations } from '../../src/contract/operations.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

/** An answer about something else does not count: a read is repeated, and the outcome of a write is unknown. */

const BODIES = {
  'jobs.get': { status: 'SUCCESS', segmentId: 's1' },
  'segments.get': { segmentName: 'Autos' },
  'segments.update': { segmentName: 'Autos' },
  'segments.refresh': { id: '102', status: 'PENDING' },
  'segments.share': { id: '102', status: 'PENDING' },
  'activations.get': { ActivationName: 'Autos Q4' },
  'groups.get': { groupName: 'g' },
  'partners.get': { name: 'p' },
} satisfies { [Id in OperationId]?: JsonObject }
const INPUTS: Partial<Record<OperationId, JsonObject>> = {
  'segments.update': { segmentName: 'Autos' },
  'segments.share': { partnerId: 2001 },
}
const shows = (id: OperationId) => Object.entries((operations[id] as Operation).shows ?? {})[0] ?? ['', '']
const isNumber = (id: string) => id === 'partners.get'

test('every operation that reads or changes one thing by its id is compared, but matches (decision 71)', () => {
  const byId = Object.entries<Operation>(operations)
    .filter(([, { output, path, list }]) => output !== null && !list && path.includes('{'))
    .map(([id]) => id)
  const compared = [...Object.keys(BODIES), 'matches.get', 'matches.refresh', 'matches.testControl']
  expect(byId.filter((id) => !compared.includes(id))).toEqual([])
})

test.each(Object.entries(BODIES))('%s that answers about another thing', async (id, body) => {
  const operation = id as keyof typeof BODIES
  const [asked, shown] = shows(operation)
  const wanted = isNumber(id) ? 102 : '102'
  const input = { ...INPUTS[operation], [asked]: wanted }
  await using server = await scriptedServer([{ json: { ...body, [shown]: 999 } }])
  await using client = testClient(server.url, { limits: { retry: { maxAttempts: 2 } } })
  const error = await client.api.untyped.call(operation, input).catch((reason: unknown) => reason)
  const isRepeated = operations[operation].repeat === 'always'
  expect(error).toMatchObject({
    code: 'bad-answer',
    message: expect.stringContaining(`it is about ${shown} 999, but ${asked} 102 was asked for`),
    request: { outcome: 'unknown' },
  })
  expect(
    server.seen.filter(({ url, method }) => url === server.seen[0]?.url && method === server.seen[0]?.method).length,
  ).toBe(isRepeated ? 2 : 1)

  await using own = await scriptedServer([{ json: { ...body, [shown]: 102 } }])
  await using other = testClient(own.url)
  expect(await other.api.untyped.call(operation, input)).toMatchObject({ ...body })
})

test('a job that is answered in place of another is read again', async () => {
  await using server = await scriptedServer([
    { json: { id: '999', status: 'SUCCESS' } },
    { json: { id: 102, status: 'PENDING' } },
    { json: { id: '888', status: 'FAILED' } },
    { json: { id: '102', status: 'SUCCESS', segmentId: 's1' } },
  ])
  await using client = testClient(server.url)
  const job = await client.api.waitForJob('102', { timeoutMs: 60_000 })
  expect([job.segmentId, server.seen.length]).toEqual(['s1', 4])
})

test('a job that is never answered: the error names both', async () => {
  await using server = await scriptedServer([{ json: { id: '999', status: 'SUCCESS' } }])
  await using client = testClient(server.url)
  await expect(client.api.waitForJob('102', { timeoutMs: 5000 })).rejects.toMatchObject({
    code: 'job-timeout',
    message: expect.stringMatching(/^job 102 was not readable .*about id 999, but jobId 102 was asked for/),
  })
})

test('ids are the same as text and as numbers, and different in any digit', () => {
  const operation = operations['jobs.get']
  const digits = fc.bigInt({ min: 0n, max: 2n ** 70n })
  fc.assert(
    fc.property(digits, digits, (one, two) => {
      const forms = (id: bigint) => [id, String(id), ...(id <= 2n ** 53n ? [Number(id)] : [])]
      for (const shown of forms(two)) {
        const other = showsOther(operation, { jobId: String(one) }, { id: shown })
        if (one === two) expect(other).toBeUndefined()
        else expect(other).toContain(`id ${two}, but jobId ${one} `)
      }
      expect(showsOther(operation, { jobId: String(one) }, { id: one })).toBeUndefined()
      expect(showsOther(operation, { jobId: String(one) }, { id: one + 1n })).toBeDefined()
    }),
  )
})
