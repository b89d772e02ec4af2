import { describe, expect, test } from 'vitest'
import { diagnosticCodes } from '../../src/document/diagnostic-codes.ts'
import type { FilesOfMachine } from '../../src/pipeline/check-files-exist.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { fixtures, written } from './fixtures.ts'
import { stepTypes } from './step-types.ts'

const load = (text: string, files?: FilesOfMachine) =>
  loadPipeline({ text, file: 'p.yaml', stepTypes, ...(files && { files }) })
const problems = (text: string) => load(text).diagnostics.map(written)

const head = 'version: 1\nname: p\n'
const steps = 'steps:\n  - id: list\n    uses: groups.list\n'
const document = `${head}${steps}`

/** Covered by nested-pipelines, check-together and notify.test.ts, because they need more than one document. */
const TOGETHER_CODES = [
  ...['invalid-pipeline', 'missing-pipeline', 'pipelines-circle'],
  ...['files-go-round', 'same-folder', 'same-name', 'unknown-channel'],
]

describe('every document under test/fixtures/pipeline', () => {
  test.each(fixtures())('$name', ({ text, expected, files }) => {
    const { pipeline, diagnostics } = load(text, files)
    expect(diagnostics.map(written)).toEqual(expected)
    expect(pipeline === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
  })
})

/**
 * Covered by test/cli/policy.test.ts, require-prepared.test.ts, prepare.test.ts and profile-inputs.test.ts: they need
 * an audience.yaml.
 */
const POLICY_CODES = [
  'env-not-allowed',
  'file-not-allowed',
  'host-not-allowed',
  'not-prepared',
  'unknown-source',
  'unknown-profile',
]

/** Only a test of a pipeline has these codes: test/rehearsal/read-test.test.ts. */
const OF_TESTS = ['unknown-output', 'unknown-trigger', 'unknown-file']

describe('the codes of diagnostics', () => {
  test('are all shown by a fixture, but for what takes more than the text of one', () => {
    const shown = fixtures().flatMap(({ expected }) => expected.map((line) => / ([a-z-]+): /.exec(line)?.[1]))
    const others = [
      ...OF_TESTS,
      'document-too-large',
      'not-checked',
      'opt-outs-unusable',
      'not-utf8',
      ...POLICY_CODES,
      ...TOGETHER_CODES,
    ]
    expect(new Set([...shown, ...others])).toEqual(new Set(Object.keys(diagnosticCodes)))
  })
})

describe('what cannot be written in a fixture', () => {
  test('knows the type of the items of a forEach, where their source says it', () => {
    const itemSchema = (items: string) => {
      const inputs =
        'inputs: { all: { type: list, items: { id: integer, cpm: { type: number, default: 1 } }, default: [] } }\n'
      const each = `steps:\n  - { id: each, uses: groups.list, forEach: { items: "${items}" } }\n`
      return load(`${head}${inputs}${each}`).pipeline?.steps[0]?.forEach?.itemSchema
    }
    const properties = { id: { type: 'integer' }, cpm: { type: 'number' } }
    expect(itemSchema('${{ inputs.all }}')).toEqual({ type: 'object', properties })
    expect(itemSchema('${{ trigger.list }}')).toBeUndefined()
  })

  test('knows whether an expression names the last run, however the document writes it', () => {
    const withOutput = (value: string) => load(`${document}outputs: { a: ${value} }\n`).pipeline?.readsLast
    expect(withOutput('last')).toBe(false)
    expect(withOutput(`"\${{ has(last.steps.list.outputs) }}"`)).toBe(true)
    expect(withOutput(`"\${{ 'last.outputs' }}"`)).toBe(false)
    expect(withOutput(`"\${{ [1].map(last, last) }}"`)).toBe(false)
    expect(withOutput(`"\${{ has(\\u006Cast.steps.list.outputs) }}"`)).toBe(true)
  })

  test('accepts a byte order mark, and does not count it as a column', () => {
    expect(load(`\uFEFF${document}`).pipeline?.name).toBe('p')
    expect(problems(`\uFEFFversoin: 1\n${document}`)).toEqual([
      '1:1+7 error unknown-key: versoin is not known at the top of a pipeline | did you mean version?',
    ])
  })

  test('accepts CRLF, and counts columns as with LF', () => {
    const text = `${document}outputs:\n  a: \${{ nope }}\n  b: |\n    \${{ nope }}\n  c: "x\n    \${{ nope }}"\n`
    const expected = problems(text)
    expect(expected).toHaveLength(3)
    expect(problems(text.replaceAll('\n', '\r\n'))).toEqual(expected)
  })

  test('refuses a second document', () => {
    expect(problems(`${document}---\n${document}`)).toEqual([
      '6:1+3 error several-documents: the file has more than one document | put each pipeline into its own file; --- begins another document',
    ])
  })

  test('refuses text that is not closed, a tab, and brackets without end', () => {
    expect(problems(`${head}description: "open\n${steps}`)).toEqual([expect.stringContaining('yaml-syntax')])
    expect(problems(`${document}\toutputs: {}\n`)).toEqual([expect.stringMatching(/^6:1.* error tab: /)])
    expect(problems('['.repeat(20_000))).toEqual([expect.stringContaining('too-deep')])
    expect(problems(`a: ${'['.repeat(60)}${']'.repeat(60)}`)).toContainEqual(expect.stringContaining('too-deep'))
  })

  test('refuses more than a million characters before it parses them', () => {
    expect(problems(`${document}#${'x'.repeat(1_000_000)}`)).toEqual([
      expect.stringMatching(/^1:1 error document-too-large: /),
    ])
  })

  test('bounds what aliases can make of a document', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level++) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    }
    const found = load(lines.join('\n'))
    expect(found.pipeline).toBeUndefined()
    expect(found.diagnostics.map(({ code }) => code)).toContain('alias-bomb')
  })

  test('shows at most 200 problems of a document', () => {
    const outputs = Array.from({ length: 1000 }, (_, index) => `  o${index}: \${{ nope }}\n`).join('')
    const { pipeline, diagnostics } = load(`${document}outputs:\n${outputs}`)
    expect(pipeline).toBeUndefined()
    expect(diagnostics).toHaveLength(200)
  })

  test('never gives the pipeline of a document with more warnings than it shows and an error behind them', () => {
    const outputs = Array.from({ length: 300 }, (_, index) => `  o${index}: "{{ x }}"\n`).join('')
    expect(load(`${document}outputs:\n${outputs}  last: \${{ nope }}\n`).pipeline).toBeUndefined()
  })
})

describe('the pipeline that a document gives', () => {
  test('keeps the text as it was, and its digest', () => {
    const text = `\uFEFF${document}`
    expect(load(text).pipeline).toMatchObject({
      text,
      file: 'p.yaml',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('makes a step need the one above, unless it says what it needs', () => {
    const text = `${head}steps:
  - { id: a, uses: groups.list }
  - { id: b, uses: groups.list }
  - { id: c, uses: groups.list, needs: [] }
  - { id: d, uses: groups.list, needs: [a, c] }
  - { id: e, uses: groups.list }
finally:
  - { id: f, uses: groups.list }
`
    const { pipeline } = load(text)
    const needs = [...pipeline!.steps, ...pipeline!.finally].map(({ id, needs }) => `${id}: ${needs.join(' ')}`)
    expect(needs).toEqual(['a: ', 'b: a', 'c: ', 'd: a c', 'e: d', 'f: '])
  })

  test('fills in defaults: those of the document, then its own', () => {
    const text = `${head}defaults: { await: { timeout: 1h, poll: { max: 5s } }, retry: { maxAttempts: 4 } }
steps:
  - id: refresh
    uses: segments.refresh
    with: { id: a }
    await: { approvalTimeout: 2d, poll: { initial: 1s } }
    retry: { delay: 1s }
  - { id: list, uses: groups.list }
  - { id: free, uses: segments.refresh, with: { id: a }, await: false }
`
    const [refresh, list, free] = load(text).pipeline!.steps
    expect(refresh).toMatchObject({
      await: {
        timeoutMs: 3_600_000,
        approvalTimeoutMs: 172_800_000,
        poll: { initialMs: 1000, maxMs: 5000 },
        accept: ['SUCCESS'],
      },
      retry: { maxAttempts: 4, delayMs: 1000, backoff: 2, maxDelayMs: 300_000, on: ['jobFailed', 'unavailable'] },
    })
    expect(list).toMatchObject({ await: false })
    expect(free).toMatchObject({ await: false })
  })

  test('keeps integers exact, and finds the expressions in values', () => {
    const text = `${head}inputs: { n: { type: integer, default: 9007199254740993 } }
${steps}outputs:
  whole: \${{ inputs.n }}
  text: n is \${{ inputs.n }}
  list: [1, "\${{ inputs.n }}"]
  plain: { a: [9007199254740993] }
`
    const { pipeline } = load(text)
    expect(pipeline?.inputs.n?.default).toBe(9007199254740993n)
    const expression = { source: 'inputs.n', at: expect.objectContaining({ line: 9, column: 18, length: 8 }) }
    expect(pipeline?.outputs).toMatchObject({
      whole: { kind: 'expression', expression: { source: 'inputs.n' } },
      text: { kind: 'text', parts: ['n is ', expression] },
      list: { kind: 'list', items: [{ kind: 'value', value: 1n }, { kind: 'expression' }] },
      plain: { kind: 'value', value: { a: [9007199254740993n] } },
    })
  })

  test('is the same every time: loading is pure', () => {
    for (const { text } of fixtures()) expect(load(text)).toEqual(load(text))
  })
})
