import { expect, test } from 'vitest'
import { findRound, type Stop, Stops } from '../../../src/triggers/watch/stops.ts'

/** `x: in > done failed *.csv` */
function stops(...texts: readonly string[]): Stop[] {
  return texts.map((text) => {
    const [name = '', path = '', , done = '', failed = '', pattern = '*.csv'] = text.split(' ')
    return { name, path: [path], leadsTo: [[done], [failed]], pattern }
  })
}

test.each<[string, readonly string[], readonly string[] | undefined]>([
  ['apart', ['a in > done failed'], undefined],
  ['to itself by done', ['a in > in failed'], ['a']],
  ['to itself by failed', ['a in > done in'], ['a']],
  ['a chain', ['a in > two failed', 'b two > three failed'], undefined],
  ['a round of two', ['a in > two failed', 'b two > done in'], ['a', 'b']],
  ['a round of three', ['a in > two f', 'b two > three f', 'c three > in f'], ['a', 'b', 'c']],
  ['a round of others, into which it leads', ['a in > two f', 'b two > three f', 'c three > two f'], undefined],
  ['two of other endings', ['a in > two f *.csv', 'b two > in f *.txt'], undefined],
  ['two of which one takes all', ['a in > two f *.csv', 'b two > in f *'], ['a', 'b']],
  ['two patterns in one folder', ['a in > two f *.csv', 'b in > two f *.txt', 'c two > in f *.csv'], ['a', 'c']],
])('%s', (_what, texts, expected) => {
  const all = stops(...texts)
  expect(findRound(all[0]!, new Stops(all))).toEqual(expected)
})
