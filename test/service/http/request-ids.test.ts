import { expect, test } from 'vitest'
import { createRequestIds } from '../../../src/service/http/create-server.ts'

test('request ids are UUIDs, and none is like another', () => {
  const [one, other] = [createRequestIds(), createRequestIds()]
  const ids = Array.from({ length: 300 }, () => [one(), other()]).flat()
  expect(new Set(ids).size).toBe(600)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
