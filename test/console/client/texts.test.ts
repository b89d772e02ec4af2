import { expect, test } from 'vitest'
import { repeatedSteps } from '../../../src/console/client/actions/repeated-steps.ts'
import { apiUrl } from '../../../src/console/client/api/url.ts'
import { words } from '../../../src/console/client/format/words.ts'
import { yamlTokens } from '../../../src/console/client/format/yaml-tokens.ts'
import { lastLineOf } from '../../../src/console/client/pages/run/last-line-of.ts'
import { changeText } from '../../../src/core/format/figures.ts'

test('numbers read as people write them', () => {
  expect([changeText(100, 112.5), changeText(100, 90), changeText(100, 100), changeText(0, 5)]).toEqual([
    '+12.5 %',
    '−10.0 %',
    '±0 %',
    '',
  ])
  expect([words('matchCount'), words('ActivationId')]).toEqual(['match count', 'activation id'])
})

test('fields go into the path or the query, lists repeat their name, and nothing escapes', () => {
  expect(apiUrl('/tools/', '/runs/{runId}/steps', { runId: 'a/b ?', step: 'x', limit: 5, index: undefined })).toBe(
    '/tools/api/v1/runs/a%2Fb%20%3F/steps?step=x&limit=5',
  )
  expect(apiUrl('/', '/runs', { status: ['failed', 'waiting'], q: '' })).toBe(
    '/api/v1/runs?status=failed&status=waiting',
  )
})

test.each([
  ['  uses: files.upload # now', ['plain:  ', 'key:uses', 'plain:: files.upload ', 'comment:# now']],
  ['  limit: 20', ['plain:  ', 'key:limit', 'plain:: ', 'value:20']],
  ['file: ${{ inputs.file }}', ['key:file', 'plain:: ', 'expression:${{ inputs.file }}']],
  ['url: http://host/#part', ['key:url', 'plain:: http://host/#part']],
  ['"a b": \'c # d\'', ['key:"a b"', 'plain:: ', "text:'c # d'"]],
])('%s', (line, expected) => {
  expect(yamlTokens(line).map(({ kind, text }) => `${kind}:${text}`)).toEqual(expected)
})

test('a step ends before the next one', () => {
  const text = 'steps:\n  - id: a\n    with:\n      x: 1\n\n  - id: b\n    uses: y\noutputs: {}\n'
  expect([lastLineOf(text, 2), lastLineOf(text, 6)]).toEqual([4, 7])
})

test('a retry does again what did not succeed, or a step and all that need it', () => {
  const graph = [
    { id: 'a', needs: [] },
    { id: 'b', needs: ['a'] },
    { id: 'c', needs: ['b'] },
    { id: 'd', needs: ['a'] },
  ]
  const steps = [
    { step: 'a', status: 'succeeded' },
    { step: 'b', status: 'succeeded' },
    { step: 'd', status: 'failed' },
  ]
  expect(repeatedSteps(graph, steps, '')).toEqual(['c', 'd'])
  expect(repeatedSteps(graph, steps, 'b')).toEqual(['b', 'c', 'd'])
})
