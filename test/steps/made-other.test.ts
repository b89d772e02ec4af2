import { expect, test } from 'vitest'
import { refuseOther } from '../../src/steps/made-other.ts'

const OTHER =
  'segment 7 was read, but the service showed a different one: its participantSegmentId is "b", but "a" was asked for'

test.each<[string, object, object, string | undefined]>([
  ['another', { participantSegmentId: 'a' }, { participantSegmentId: 'b' }, OTHER],
  ['the same', { participantSegmentId: 'a' }, { participantSegmentId: 'a' }, undefined],
  ['the same, trimmed', { participantSegmentId: ' a ' }, { participantSegmentId: 'a' }, undefined],
  ['nothing of it', { participantSegmentId: 'a' }, {}, undefined],
  ['an empty one', { participantSegmentId: 'a' }, { participantSegmentId: '' }, undefined],
  ['one, and blanks were asked for', { participantSegmentId: ' ' }, { participantSegmentId: 'b' }, undefined],
])('what a request made is refused only for what it shows and was asked for: it shows %s', (_, asked, shows, why) => {
  const check = () => refuseOther('segments.create', asked, '7', shows)
  if (why === undefined) check()
  else expect(check).toThrow(expect.objectContaining({ code: 'made-other', message: why }))
})

test('what another operation gives back may show anything', () => {
  refuseOther('segments.update', { participantSegmentId: 'a' }, '7', { participantSegmentId: 'b' })
})
