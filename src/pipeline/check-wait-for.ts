import type { RemoteTrigger } from '../core/pipeline.ts'
import { splitRemotePath } from '../core/remote-path.ts'
import { whyNoStarPattern } from '../core/star-pattern.ts'
import { childOf, type DocumentNode } from '../document/document-node.ts'
import { mayMatchSame } from '../triggers/watch/may-match-same.ts'

/** A mistake in `waitFor`: the key that it is about, what is wrong, and what to do. */
type Mistake = readonly [key: string, message: string, hint: string]

/** What is wrong with the sets of a trigger. */
export function* mistakesOfSets({ path, waitFor }: RemoteTrigger, node: DocumentNode | undefined): Generator<Mistake> {
  if (!waitFor) return
  const has = (key: string) => childOf(node, key) !== undefined
  if (has('all') === has('manifest'))
    yield ['manifest', 'waitFor needs either all or manifest', 'such as all: ["a_*.csv", "b_*.csv"]']
  if (has('else') && !has('within')) yield ['else', 'else needs within', 'say how long a set may wait: within: 4h']
  const key = waitFor.kind
  const patterns = waitFor.kind === 'all' ? waitFor.patterns : [waitFor.pattern]
  const { name } = splitRemotePath(path)
  for (const [index, pattern] of patterns.entries()) {
    const why = whyNoStarPattern(pattern)
    const same = patterns
      .slice(0, index)
      .find((other) => whyNoStarPattern(other) === undefined && mayMatchSame(other, pattern))
    if (why !== undefined) yield [key, `${pattern} is not a pattern of a set: ${why}`, 'such as "a_*.csv"']
    else if (waitFor.kind === 'all' && !mayMatchSame(name, pattern))
      yield [
        key,
        `no file of path can match ${pattern}`,
        'path has to fit all files of a set, such as "incoming/*.csv"',
      ]
    else if (same !== undefined)
      yield [
        key,
        `one file can match both ${same} and ${pattern}`,
        'each file belongs to one pattern; make them narrower',
      ]
  }
}
