import { describe, expect, test } from 'vitest'
import { showMarks } from '../../../src/console/client/ui/visible-marks.ts'
import { withVisibleMarks } from '../../../src/core/format/visible-marks.ts'
import { printable } from '../../../src/core/printable.ts'

const MARKS = [
  ...['\u00ad', '\u061c', '\u180e', '\u200b', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2060'],
  ...['\u2064', '\u2066', '\u2069', '\u206f', '\ufeff', '\ufff9', '\u{e0001}', '\u{e0041}'],
]

describe('a mark that turns or hides text is written out', () => {
  test.each(MARKS)('%j, in the console as on a terminal', (mark) => {
    const name = `list${mark}vsc.exe`
    const code = mark === '\u00ad' ? 'xad' : `u${mark.codePointAt(0)!.toString(16).padStart(4, '0')}`
    expect(withVisibleMarks(name)).toBe(`list\\${code}vsc.exe`)
    expect(printable(name)).toBe(withVisibleMarks(name))
  })

  test.each(['list.csv', 'קהל יעד חורפי', 'قائمة العملاء', 'می\u200cخواهم', '👩\u200d👩\u200d👧', 'Köln', '名前'])(
    '%s stays as it is',
    (text) => {
      expect(withVisibleMarks(text)).toBe(text)
      expect(printable(text)).toBe(text)
    },
  )

  test('wherever a page shows it: text, parts of text, titles; not what a field holds', () => {
    const bad = 'a\u202eb'
    const shown = (props: Record<string, unknown>) => {
      showMarks(props)
      return props
    }
    const good = 'a\\u202eb'
    expect(shown({ title: bad, 'aria-label': bad, children: bad })).toEqual({
      ...{ title: good, 'aria-label': good, children: good },
    })
    expect(shown({ children: ['is ', [bad, 7], null] })).toEqual({ children: ['is ', [good, 7], null] })
    expect(shown({ value: bad })).toEqual({ value: bad })
  })
})
