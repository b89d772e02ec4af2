import fc from 'fast-check'
import { expect, test } from 'vitest'
import { junitOf } from '../../../src/cli/views/junit.ts'
import { anyCodePoint } from '../../support/any-code-point.ts'

/** Only characters that XML 1.0 allows, for any names and messages. */
const XML = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u
const file = '/p/a.test.yaml'
const at = { file, line: 1, column: 1 }

test('a report is XML, whatever its tests are called and say', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.constantFrom('\ud800', '\0', '\ufffe', '\uffff', '<&">]]>'),
  )
  const write = fc.property(text, text, text, (it, expected, message) => {
    const failure = { at, event: 0, what: it, expected, seen: message }
    const result = { it, at, failures: [failure], facts: [], requests: [], open: [message], livedMs: 0, digest: '' }
    const xml = junitOf([{ file, results: [result], broken: { message, hint: undefined } }], '/p')
    expect(xml).toMatch(XML)
    expect(xml.match(/<(?!\?xml|\/?(testsuites|testsuite|testcase|failure|error)\b)/g)).toBeNull()
  })
  fc.assert(write)
})
