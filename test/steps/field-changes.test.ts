import { expect, test } from 'vitest'
import { fieldChanges } from '../../src/steps/field-changes.ts'

test.each<[string, unknown, unknown, object[]]>([
  ['is not given', undefined, 'a', []],
  ['is given as it is', 'a', 'a', []],
  ['is given otherwise', 'b', 'a', [{ field: 'x', from: 'a', to: 'b' }]],
  ['is given, and nobody knows what it is', 'b', undefined, [{ field: 'x', to: 'b' }]],
  ['is emptied', '', 'a', [{ field: 'x', from: 'a', to: null }]],
  ['is emptied, and is empty', '', null, []],
  ['is emptied, and nobody knows what it is', '', undefined, [{ field: 'x', to: null }]],
  ['is given and was empty', 'b', '', [{ field: 'x', from: null, to: 'b' }]],
  ['is turned off, and shows nothing', false, null, []],
  ['is turned off, and is on', false, true, [{ field: 'x', from: true, to: false }]],
  ['is turned on, and shows nothing', true, null, [{ field: 'x', from: null, to: true }]],
  ['is 0, and is empty', 0, null, [{ field: 'x', from: null, to: 0 }]],
  ['is a list as it is', [1, 2], [1, 2], []],
  ['is a longer list', [1, 2], [1], [{ field: 'x', from: [1], to: [1, 2] }]],
])('a field that %s', (_, wanted, is, changes) => {
  expect(fieldChanges(['x'], { x: wanted, y: 'never asked' }, () => is)).toEqual(changes)
})
