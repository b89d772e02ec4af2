import { expect, test } from 'vitest'
import { itemLabel } from '../../src/runs/item-label.ts'

test('an integer of 64 bits is called by all its digits', () => {
  expect(itemLabel(9007199254740993n)).toBe('9007199254740993')
})

test.each([
  ['seg07', 'seg07'],
  [7, '7'],
  [{ size: 3, id: 'a', key: 'b' }, 'b'],
  [{ size: 3, name: 'Auto', id: 12 }, '12'],
  [{ size: 3, participantSegmentId: 'auto' }, 'auto'],
  [{ group_name: 'Metro' }, 'Metro'],
  ['x'.repeat(100), `${'x'.repeat(59)}…`],
  [{ size: 3 }, undefined],
  [{ id: { inner: 1 } }, undefined],
  [['a'], undefined],
  [true, undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('the item %j is called %j', (item, label) => {
  expect(itemLabel(item)).toBe(label)
})
