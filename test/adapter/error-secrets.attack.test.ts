import { expect, test } from 'vitest'
import { describeErrorBody } from '../../src/adapter/error-body.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import { maskPersonal } from '../../src/policy/personal-data.ts'

/** What a process that knows the secret says about a body. */
function told(secret: string, body: string): string {
  const secrets = createSecrets()
  secrets.add(secret)
  return describeErrorBody(body, { redact: secrets.redact, mask: maskPersonal }).detail ?? ''
}

const TAGGED = 'pa<b>55-of<i>ours'

test.each([
  ['as text of a page', `<html><p>no ${TAGGED} here</p></html>`],
  ['in the title', `<html><title>no ${TAGGED} here</title>`],
  ['in an attribute', `<a href="?key=${TAGGED}">again</a> or not`],
  ['as entities', `<p>no ${TAGGED.replaceAll('<', '&lt;').replaceAll('>', '&gt;')} here</p>`],
  ['between tags', `<p>no <b>${[...TAGGED].join('</b><b>')}</b> here</p>`.replaceAll('<b>', '')],
  ['in plain text', `no ${TAGGED} here`],
  ['in what looks like a script', `<script>${TAGGED}</script>no ${TAGGED}`],
])('a secret with tags in it is not shown where a service repeats it %s', (_where, body) => {
  const detail = told(TAGGED, body)
  expect(detail.replace(/[^a-z0-9]/g, '')).not.toMatch(/pa55|55of|ofours|ours/)
})

test('a secret that the tags of a page break is not shown without them', () => {
  expect(told('a-secret-of-ours', '<p>no <em>a-se</em>cret<span>-of-</span>ours here</p>')).toBe('no *** here')
})

test.each([
  ['spaces', 4000, ' '],
  ['line ends', 4000, '\r\n'],
  ['tags', 20_000, '<br/>'],
  ['a script', 20_000, '<script>x</script>'],
  ['e-mail addresses', 4000, `${'x'.repeat(60)}@${'y'.repeat(200)}.example `],
])(
  'what is left of a secret where a body is cut is not shown, however much of the rest goes: %s',
  (_what, limit, filler) => {
    const secret = 'hunter2x'
    for (let left = 1; left <= secret.length; left++) {
      const before = filler.repeat(Math.ceil(limit / filler.length)).slice(0, limit - left)
      for (const body of [before + secret, JSON.stringify({ detail: before + secret })])
        expect(told(secret, `${body} and more`)).not.toMatch(/hun|h$/)
    }
  },
)
