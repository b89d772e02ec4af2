import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { isHeaderField } from '../../src/lists/header-field.ts'

test.each<[FileSignal, string, boolean]>([
  ['EMAIL', 'email', true],
  ['EMAIL', ' Kunde 1', true],
  ['EMAIL', 'a@x.test', false],
  ['EMAIL', 'a.x.test', false],
  ['EMAIL', '', false],
  ['EMAIL', ' \u200b', false],
  ['RECORD_ID', 'Record ID', true],
  // Any text can be an id, but nobody has this one.
  ['RECORD_ID', '# record_id', true],
  ['RECORD_ID', 'S1', false],
  ['RECORD_ID', 'Kunde', false],
])('in a column of %s the first field %j names it: %s', (signal, field, isIt) => {
  expect(isHeaderField(signal, field)).toBe(isIt)
})
