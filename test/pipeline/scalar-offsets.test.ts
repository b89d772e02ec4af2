import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Scalar, stringify } from 'yaml'
import { DiagnosticCollector } from '../../src/document/diagnostic-collector.ts'
import { childOf, type ScalarNode } from '../../src/document/document-node.ts'
import { readYaml } from '../../src/document/read-yaml.ts'
import { scalarOffsets } from '../../src/pipeline/scalar-offsets.ts'

const characters = ['a', 'b', 'c', ' ', '\n', '"', "'", '\\', 'ä', '😀', '{', '\t', '#', ':', '\u0007']
const STYLES = [
  Scalar.PLAIN,
  Scalar.QUOTE_SINGLE,
  Scalar.QUOTE_DOUBLE,
  Scalar.BLOCK_LITERAL,
  Scalar.BLOCK_FOLDED,
] as const

/** Undefined if the library writes a text that it cannot read again. */
function scalarIn(text: string): ScalarNode | undefined {
  const node = childOf(readYaml(text, new DiagnosticCollector('p.yaml', text)), 'key')
  return node?.kind === 'scalar' ? node : undefined
}

describe('the places of the characters of a scalar', () => {
  test.each(STYLES)('are those characters: %s', (style) => {
    const value = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(value, fc.constantFrom('\n', '\r\n'), (written, lineEnd) => {
        const scalar = new Scalar(written)
        scalar.type = style
        const text = stringify({ key: scalar, after: 1 }, { lineWidth: 20, minContentWidth: 5 }).replaceAll(
          '\n',
          lineEnd,
        )
        const node = scalarIn(text)
        if (typeof node?.value !== 'string') return
        const offsets = scalarOffsets(text, node)
        let last = node.start
        for (let index = 0; index < node.value.length; index++) {
          const character = node.value.charAt(index)
          const offset = offsets.at(index)
          expect(offset).toBeGreaterThanOrEqual(last)
          expect(offset).toBeLessThanOrEqual(node.end)
          const escaped = node.style === 'double' && text[offset] === '\\'
          if (/\S/.test(character) && !escaped) expect(text[offset]).toBe(character)
          last = offset
        }
      }),
      { numRuns: 300 },
    )
  })
})
