import fc from 'fast-check'

const MOST = 0x10ffff
const SURROGATES = { first: 0xd800, count: 0x800 } as const

/**
 * Any Unicode character except surrogates, as a unit of texts. The same as `unit: 'binary'`, which first makes a table
 * of all 1.1 million characters: a second of processor time in each process.
 */
export const anyCodePoint = fc.integer({ min: 0, max: MOST - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('this is not one character')
    if (point < SURROGATES.first) return point
    if (point < SURROGATES.first + SURROGATES.count) throw new Error('this is a surrogate')
    return point - SURROGATES.count
  },
)
