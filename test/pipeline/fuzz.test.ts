import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/core/diagnostic.ts'
import { AudienceError } from '../../src/core/errors.ts'
import { evaluateTemplate } from '../../src/expressions/evaluate.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { scope } from '../expressions/evaluate-text.ts'
import { tries } from '../support/tries.ts'
import { fixtures } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

/** The number of documents; they differ each time. */
const RUNS = tries(150, 2000)

/** For any document: nothing is thrown, every problem has its position, and there is a pipeline only without errors. */
function load(text: string) {
  const loaded = loadPipeline({ text, file: 'p.yaml', stepTypes })
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  const isGood = ({ at, code, message, hint, severity }: Diagnostic): boolean => {
    const { file, line = 0, column = 0, length = 0 } = at ?? {}
    const columns = lines[line - 1]?.length ?? -1
    return (
      file === 'p.yaml' &&
      column >= 1 &&
      column <= columns + 1 &&
      column - 1 + length <= columns &&
      /^[a-z]+(-[a-z]+)*$/.test(code) &&
      code !== 'not-checked' &&
      message !== '' &&
      !/undefined|NaN|\[object|\[native/.test(`${message} ${hint ?? ''}`) &&
      (severity === 'error' || severity === 'warning')
    )
  }
  // One comparison for all of them, because thousands of comparisons would take longer than the checks.
  expect(loaded.diagnostics.filter((each) => !isGood(each))).toEqual([])
  const hasErrors = loaded.diagnostics.some(({ severity }) => severity === 'error')
  expect(loaded.pipeline === undefined).toBe(hasErrors)
  return loaded
}

const holds = (text: string): void => {
  load(text)
}

const documents = fixtures().map(({ text }) => text.replace(/^#>.*\n/gm, ''))

const fragments = fc.constantFrom(
  ...[
    '${{ ',
    ' }}',
    '{{',
    '}}',
    '{',
    '}',
    '[',
    ']',
    ': ',
    '- ',
    '\n',
    '\n  ',
    '\t',
    '"',
    "'",
    '#',
    '&a ',
    '*a',
    '<<: ',
  ],
  ...[
    '!!str ',
    '|',
    '>-',
    '? ',
    ',',
    '012',
    '.nan',
    'null',
    '~',
    'yes',
    '---\n',
    '...\n',
    '\\',
    '\r\n',
    '\uFEFF',
    '\0',
  ],
  ...['steps.', 'inputs.', 'outputs', 'last.', 'item', 'has(', '.map(x, ', '9223372036854775808', '💥', '__proto__'],
  ...['constructor', 'if: ', 'needs: []', 'uses: ', 'with: ', 'id: ', 'forEach: ', 'await: ', 'true', '-1', '1e999'],
)

describe('any document', () => {
  test('made of fixtures with something put in, taken out or repeated', () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 20 }),
      insert: fc.oneof(fragments, fc.string({ maxLength: 5 })),
    })
    const edited = fc
      .tuple(fc.constantFrom(...documents), fc.array(edit, { minLength: 1, maxLength: 4 }))
      .map(([text, edits]) =>
        edits.reduce((result, { at, remove, insert }) => {
          const place = at % (result.length + 1)
          return result.slice(0, place) + insert + result.slice(place + remove)
        }, text),
      )
    fc.assert(fc.property(edited, holds), { numRuns: RUNS })
  })

  test('made of pieces', () => {
    const text = fc.array(fragments, { maxLength: 40 }).map((pieces) => pieces.join(''))
    fc.assert(fc.property(text, holds), { numRuns: RUNS })
  })

  test('made of any values under the keys that it knows', () => {
    const key = fc.constantFrom(
      ...['version', 'name', 'inputs', 'env', 'triggers', 'steps', 'outputs', 'onFailure', 'finally', 'defaults', 'id'],
      ...['uses', 'with', 'needs', 'if', 'forEach', 'items', 'await', 'retry', 'expect', 'check', 'message', 'type'],
      ...[
        'default',
        'values',
        'schedule',
        'watch',
        'cron',
        'concurrency',
        'group',
        'poll',
        'on',
        '__proto__',
        'toString',
      ],
    )
    const leaf = fc.oneof(
      fc.constantFrom(
        '${{ inputs.a }}',
        '${{ steps.a.outputs.b }}',
        'a',
        'files.upload',
        'matches.create',
        '30s',
        '${{',
      ),
      fc.constantFrom(1, true, null, -1, 1.5, 2 ** 60),
      fc.string({ maxLength: 10 }),
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 6 }),
      ),
    }))
    const document = fc.dictionary(key, value, { maxKeys: 12 }).map((content) => JSON.stringify(content, null, 1))
    fc.assert(fc.property(document, holds), { numRuns: RUNS })
  })

  test('with line ends of any kind: the same problems at the same places', () => {
    fc.assert(
      fc.property(fc.constantFrom(...documents), (text) => {
        expect(load(text.replaceAll('\n', '\r\n')).diagnostics).toEqual(load(text).diagnostics)
      }),
    )
  })
})

describe('any expression', () => {
  const tokens = fc.constantFrom(
    ...[
      'inputs',
      '.n',
      '.ids',
      '.text',
      '.nope',
      '[0]',
      '["a"]',
      'steps.match.outputs',
      'last',
      'run.startedAt',
      'env',
    ],
    ...[
      '+',
      '-',
      '*',
      '/',
      '%',
      '<',
      '==',
      '!=',
      '&&',
      '||',
      '!',
      'in',
      '? ',
      ' : ',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ',',
    ],
    ...[
      '1',
      '0',
      '1.5',
      '"a"',
      "'b'",
      'true',
      'null',
      'x',
      'has(',
      'default(',
      'size(',
      '.map(x, ',
      '.all(x, ',
      'now()',
    ],
    ...['.matches("a")', 'today("UTC")', 'formatDate(now(), ', 'b"x"', '1u', '.size()', 'cel.bind(', 'type(', 'dyn('],
  )
  const source = fc.oneof(
    fc.array(tokens, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.string({ maxLength: 20 }),
  )

  test('is checked without a throw, at a place inside of it', () => {
    fc.assert(
      fc.property(source, (text) => {
        const quoted = JSON.stringify(`\${{ ${text} }}`)
        load(`version: 1\nname: p\nsteps: [{ id: list, uses: groups.list }]\noutputs: { a: ${quoted} }\n`)
      }),
      { numRuns: 2 * RUNS },
    )
  })

  test('has a value or fails as an AudienceError', () => {
    const at = { file: 'p.yaml', line: 1, column: 1 }
    fc.assert(
      fc.property(source, (text) => {
        try {
          evaluateTemplate({ kind: 'expression', expression: { source: text, at } }, scope)
        } catch (error) {
          if (!(error instanceof AudienceError)) throw error
          expect(error.code).toBe('expression-failed')
          expect(error.at?.column).toBeGreaterThanOrEqual(1)
        }
      }),
      { numRuns: 4 * RUNS },
    )
  })
})
