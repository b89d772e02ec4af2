import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reportMarkdown } from '../../../src/cli/ci/report.ts'
import type { CiResult } from '../../../src/cli/ci/run-checks.ts'

const of = (...results: CiResult[]) => ({ results, commit: 'abc', page: 'https://ci.test/1' })

test('a check that passed has a line, and one that failed has its text', () => {
  expect(
    reportMarkdown(
      of(
        { check: 'validate', outcome: 'passed', text: '2 pipelines, nothing wrong\n' },
        { check: 'test', outcome: 'failed', text: 'FAIL a <b>\n1 failed\n' },
      ),
      10_000,
    ),
  ).toBe(`## Audience pipelines: 1 of 2 checks failed

| check | result | |
|---|---|---|
| validate | ✅ passed | <code>2 pipelines, nothing wrong</code> |
| test | ❌ failed | <code>1 failed</code> |

Commit <code>abc</code>

### test

<pre>
FAIL a &lt;b&gt;
1 failed
</pre>
`)
})

test('a report that is too long ends between two parts and says where the rest is', () => {
  const markdown = Array.from({ length: 50 }, (_, n) => `### Plan of p${n}\n\n${'x'.repeat(3000)}\n`).join('\n')
  const report = reportMarkdown(of({ check: 'plan', outcome: 'passed', markdown, text: '' }), 65_536)
  expect(report.length).toBeLessThanOrEqual(65_536)
  expect(report).toContain('### Plan of p19\n')
  const rest = '**The report is too long to show here.** [The job](https://ci.test/1) has all of it.'
  expect(report.endsWith(`${'x'.repeat(3000)}\n\n${rest}\n`)).toBe(true)
})

test('no text of a check is Markdown, HTML, a mention or a command, and it keeps to any limit', () => {
  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...['```', '````', '\n', '\n/merge\n', '\n  /close', '</pre>', '<!-- audience ci: pipelines -->'],
      ),
      fc.constantFrom('@everyone', '${{ github.token }}', '| a | b |', '<img src=x>', '`', '&lt;'),
      fc.string(),
    ),
  )
  fc.assert(
    fc.property(hostile, fc.integer({ min: 400, max: 2000 }), (parts, most) => {
      const text = parts.join('')
      const report = reportMarkdown(of({ check: 'test', outcome: 'failed', text }), most)
      const [, inside = ''] = /<pre>\n([\s\S]*)\n<\/pre>/.exec(report) ?? []
      expect(inside).not.toMatch(/[<>`]|@(?!&#8203;)|^\s*\//m)
      expect(report).not.toMatch(/^\s*\//m)
      expect(report.match(/<\/pre>/g)?.length ?? 0).toBe(report.match(/<pre>/g)?.length ?? 0)
      expect(report.length).toBeLessThanOrEqual(Math.max(most, 700))
    }),
  )
})
