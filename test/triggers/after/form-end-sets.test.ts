import { describe, expect, test } from 'vitest'
import { formEndSets } from '../../../src/triggers/after/form-end-sets.ts'
import type { Mark } from '../../../src/triggers/after/mark.ts'

const by = { pipeline: 'a', trigger: 'nightly' }

/** `a1@5 s2`: run a1 of pipeline a ends at minute 5 and has the mark s2. */
function ends(text: string) {
  return text.split(', ').map((one) => {
    const [runId = '', at = '', mark] = one.split(/[@ ]/)
    const marked: Mark | undefined = mark === undefined ? undefined : { text: mark, by }
    return { runId, origin: runId, pipeline: runId[0] ?? '', at: Number(at), mark: marked }
  })
}

/** The sets, as `a1+b1`. Brackets mark sets that lack a run; an exclamation mark marks late ends. */
function formed(
  text: string,
  {
    sharing = 'abc',
    pipelines = 'ab',
    lacked = [] as readonly string[],
  }: { sharing?: string; pipelines?: string; lacked?: readonly string[] } = {},
): string {
  const { sets, late } = formEndSets(
    ends(text),
    { pipelines: [...pipelines], withinMs: 60 },
    {
      shares: (_mark, pipeline) => sharing.includes(pipeline),
      lacked: (mark, pipeline) => lacked.includes(`${mark.text} ${pipeline}`),
    },
  )
  const named = sets.map((set) => {
    const names = set.ends.map(({ runId }) => runId).join('+')
    return set.isComplete ? names : `(${names})`
  })
  return [...named, ...late.map(({ runId }) => `${runId}!`)].join(' ')
}

describe('ends of runs belong together', () => {
  test.each([
    ['by the slot that they share, in any order', 'b1@1 s1, b2@2 s2, a2@3 s2, a1@4 s1', 'b1+a1 b2+a2'],
    ['never by time if they could share it', 'a1@1 s1, b2@2 s2', '(a1) (b2)'],
    ['by time if they share nothing', 'a1@1, a2@2, b1@3, b2@4', 'a1+b1 a2+b2'],
    ['by hand not with a slot', 'a1@1 s1, b1@2', '(a1) (b1)'],
    ['only within the time', 'a1@0, b1@61, a2@62', '(a1) b1+a2'],
    ['exactly within the time', 'a1@0, b1@60', 'a1+b1'],
    ['and one comes late if its slot waits no longer', 'a1@0 s1, b1@61 s1', '(a1) b1!'],
    ['two of one pipeline never', 'a1@1 s1, a2@2 s1, b1@3 s1', 'a1+b1 (a2)'],
  ])('%s', (_, given, expected) => expect(formed(given)).toBe(expected))

  test('by time, if the other has no such slot', () => {
    expect(formed('a1@1 s1, b1@5 s5, a2@6 s2', { sharing: '' })).toBe('a1+b1 (a2)')
  })

  test('partly by the slot, partly by time', () => {
    expect(formed('a1@1 s1, a2@2 s2, c1@3, b2@4 s2, b1@5 s1, c2@6', { sharing: 'ab', pipelines: 'abc' })).toBe(
      'a1+c1+b1 a2+b2+c2',
    )
  })

  test('late is also who comes when its set was recorded', () => {
    expect(formed('b1@1 s1, b2@2 s2', { lacked: ['s1 b'] })).toBe('(b2) b1!')
  })

  test('one alone is a set', () => {
    expect(formed('a1@1, a2@2 s1', { pipelines: 'a' })).toBe('a1 a2')
  })
})
