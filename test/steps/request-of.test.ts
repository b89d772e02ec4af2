import { expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/operations.ts'
import { requestOf } from '../../src/steps/request-of.ts'

test.each<[OperationId, Record<string, string | undefined>, object]>([
  ['segments.create', { segmentName: 'A', cpm: undefined }, { path: '/api/segments', body: { segmentName: 'A' } }],
  ['segments.update', { id: 'a/b', segmentName: 'A' }, { path: '/api/segments/a%2Fb', body: { segmentName: 'A' } }],
  ['segments.update', { segmentName: 'A' }, { path: '/api/segments/{id}', body: { segmentName: 'A' } }],
  ['segments.delete', { id: '7' }, { path: '/api/segments/7', body: undefined }],
  ['segments.delete', { id: undefined }, { path: '/api/segments/{id}', body: undefined }],
])('the request of %s with %j', (id, input, request) => {
  expect(requestOf(id, input as never)).toMatchObject(request)
})
