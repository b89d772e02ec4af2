import { expect, test } from 'vitest'
import { bearerToken, mediaTypeParts } from '../../src/http/request-headers.ts'

test.each([
  ['Bearer abc', 'abc'],
  ['bearer   a.b-c_d~e+f/g==  ', 'a.b-c_d~e+f/g=='],
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer a b', undefined],
  ['Bearer a=b', undefined],
  ['Basic abc', undefined],
  [' Bearer abc', undefined],
])('the token of %j is %j', (header, token) => {
  expect(bearerToken(header)).toBe(token)
})

test.each([
  ['application/json', ['application/json']],
  ['Application/JSON ; Charset="UTF-8"', ['application/json', 'charset="utf-8"']],
  ['text/csv;', ['text/csv', '']],
  ['', ['']],
  [undefined, ['']],
])('the parts of %j are %j', (header, parts) => {
  expect(mediaTypeParts(header)).toEqual(parts)
})
