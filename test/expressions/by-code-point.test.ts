import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byCodePoint } from '../../src/expressions/by-code-point.ts'
import { anyCodePoint } from '../support/any-code-point.ts'

test('texts are in the order of their bytes in UTF-8, which is that of their characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCodePoint }),
      fc.string({ unit: anyCodePoint }),
      fc.string({ unit: anyCodePoint }),
      (same, a, b) => {
        const [one, other] = [same + a, same + b]
        expect(Math.sign(byCodePoint(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)))
      },
    ),
    { numRuns: 2000 },
  )
})
