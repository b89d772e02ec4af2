import { expect, test } from 'vitest'
import { lookalikesIn } from '../../src/expressions/lookalikes.ts'

test.each([
  ['a {{ inputs.a }} b', 2, 16, '{{ }}', `\${{ inputs.a }}`],
  ["{{ inputs.a | default('b') }}", 0, 29, '{{ }}', `\${{ … }}`],
  [`\${ inputs.a }`, 0, 13, `\${ }`, `\${{ inputs.a }}`],
  [`at \${HOME}`, 3, 10, `\${ }`, `\${{ env.HOME }}`],
  [`\${{ inputs.a }`, 0, 14, `\${{ }`, `\${{ inputs.a }}`],
  ['{ inputs.a }', 0, 12, '{ }', `\${{ inputs.a }}`],
  ['a-$inputs.a-b', 2, 11, '$inputs.a', `\${{ inputs.a }}`],
  ['{{ }}', 0, 5, '{{ }}', `\${{ … }}`],
  ['{{ inputs.a', 0, 11, '{{', `\${{ inputs.a }}`],
])('%s', (text, start, end, form, meant) => {
  expect(lookalikesIn(text)).toEqual([{ form, meant, start, end }])
})

test.each(['{"a": 1}', '^a$', '$5', 'costs $inputs', '{a.b}', '{', '$'])('%s is only text', (text) => {
  expect(lookalikesIn(text)).toEqual([])
})
