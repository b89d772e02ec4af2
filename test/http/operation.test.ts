import { expect, test } from 'vitest'
import {
  endpointsByPath,
  type FieldPlace,
  fieldPlace,
  fieldsAt,
  type HttpOperation,
  isPathValue,
  pathWriter,
  readPath,
} from '../../src/http/operation.ts'

const FIELDS = { id: { type: 'string' }, page: { type: 'integer' }, file: { type: 'string' } } as const

function operation(
  method: HttpOperation['method'],
  path: string,
  more: Pick<HttpOperation, 'upload'> = {},
): HttpOperation {
  const input = { type: 'object', required: ['id'], properties: FIELDS } as const
  return { method, path, summary: 'Do it.', input, output: null, ...more }
}

const GET = operation('GET', '/things/{id}')
const POST = operation('POST', '/things/{id}')
const DELETE = operation('DELETE', '/things')
const FORM = operation('POST', '/things', { upload: 'file' })
const FILE = operation('POST', '/things/{id}', { upload: true })

test.each<[string, HttpOperation, string, FieldPlace]>([
  ['a field that the path names', GET, 'id', 'path'],
  ['a field that the path of a write names', POST, 'id', 'path'],
  ['a field of a read', GET, 'page', 'query'],
  ['a field of a delete', DELETE, 'id', 'query'],
  ['a field of a write', POST, 'page', 'body'],
  ['the file of a form', FORM, 'file', 'part'],
  ['another field beside the file of a form', FORM, 'id', 'query'],
  ['a field beside a file that is the whole body', FILE, 'page', 'query'],
])('%s', (_what, one, name, place) => {
  expect(fieldPlace(one, name)).toBe(place)
})

test.each<[FieldPlace, HttpOperation, [string, unknown][]]>([
  ['path', POST, [['id', 'a']]],
  [
    'body',
    POST,
    [
      ['page', 0],
      ['file', null],
    ],
  ],
  ['query', POST, []],
  ['part', FORM, [['file', null]]],
])('the fields in the %s, without those that are undefined', (place, one, expected) => {
  expect(fieldsAt<unknown>(one, place, { id: 'a', page: 0, file: null, other: undefined })).toEqual(expected)
})

test.each([
  ['/things', {}, '/things'],
  ['/things/{id}', { id: 'a/b ?ä' }, '/things/a%2Fb%20%3F%C3%A4'],
  ['/things/{id}/parts/{page}', { page: 7, id: '{page}' }, '/things/%7Bpage%7D/parts/7'],
  ['/things/{id}/parts/{page}', { page: 0 }, '/things/{id}/parts/0'],
])('%s with %j is %s', (template, input, path) => {
  expect(pathWriter(template)(input)).toBe(path)
})

test.each([
  ['a', true],
  ['...', true],
  ['a/b', true],
  ['', false],
  ['.', false],
  ['..', false],
  ['\ud800', false],
])('whether %j can be part of a path: %s', (value, isUsable) => {
  expect(isPathValue(value)).toBe(isUsable)
})

test('endpoints are found by path and method, with their fields in place', () => {
  const byPath = endpointsByPath({ get: GET, replace: POST, upload: FORM, remove: DELETE })
  expect([...byPath].map(([path, byMethod]) => [path, ...byMethod.keys()])).toEqual([
    ['/things/{id}', 'GET', 'POST'],
    ['/things', 'POST', 'DELETE'],
  ])
  const replace = byPath.get('/things/{id}')?.get('POST')
  expect(replace).toMatchObject({
    id: 'replace',
    operation: POST,
    parameters: [{ name: 'id', place: 'path', isRequired: true }],
  })
  expect([...(replace?.bodyFields.values() ?? [])]).toMatchObject([
    { name: 'page', place: 'body', isRequired: false, schema: FIELDS.page },
    { name: 'file', place: 'body', isRequired: false },
  ])
  expect(byPath.get('/things')?.get('POST')?.bodyFields.size).toBe(0)
})

test.each([
  ['/things', '/things', {}],
  ['/things/{id}', '/things/7', { id: '7' }],
  ['/things/{id}', '/things/a%2Fb%20%C3%A9', { id: 'a/b é' }],
  ['/things/{id}/parts/{part}', '/things/7/parts/', { id: '7', part: '' }],
  ['/things/{id}', '/things', undefined],
  ['/things/{id}', '/things/7/parts', undefined],
  ['/things/{id}', '/Things/7', undefined],
  ['/things/{id}', '/things/%E0', undefined],
])('%s reads %s', (template, path, values) => {
  expect(readPath(template, path)).toEqual(values)
})
