import { didYouMean } from '../core/did-you-mean.ts'
import { DAY_MS } from '../core/duration.ts'
import { joinRemotePath, splitRemotePath, whyNoRemotePath } from '../core/remote-path.ts'
import type { RemoteConfig } from '../core/remote-source.ts'
import { TAKEN_FOLDER } from '../core/shown-path.ts'
import { whyNoStarPattern } from '../core/star-pattern.ts'
import { isLeaving, type RemoteTrigger, sourcePath, type Trigger } from '../core/trigger.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, textOf } from '../document/document-node.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { mayMatchSame } from '../triggers/watch/may-match-same.ts'
import { amongTaken, isFilePattern, type Mistake, SAME_FOLDERS, warnOfPattern, watchedItself } from './check-watch.ts'
import { folderWatch, remoteWatch } from './trigger-schema.ts'

const SHORTEST_MS = 10_000
const ACTS = 'keep, delete, { move: FOLDER } or { tag: "audience=done" }'

/** Checks watches of sources, and that no watch has keys of the other kind. */
export function checkRemoteWatches(
  drafts: readonly { trigger: Trigger; node: DocumentNode }[],
  policy: DocumentPolicy | undefined,
  reporter: DiagnosticCollector,
): void {
  const takers = new Map<string, string>()
  for (const { trigger, node } of drafts) {
    const watch = childOf(node, 'watch')
    if (!watch) continue
    const report = ([key, message, hint]: Mistake, inside: DocumentNode = watch) =>
      reporter.wrongValue(message, childOf(inside, key) ?? inside, hint)
    if (trigger.kind !== 'remote') {
      for (const key of onlyIn(remoteWatch, folderWatch, watch))
        report([key, `${key} is for a watch of a source`, 'leave it out, or name a source'])
      continue
    }
    for (const key of onlyIn(folderWatch, remoteWatch, watch))
      report([
        key,
        `${key} is for a watched folder`,
        'with a source, the pattern is the end of the path: "incoming/*.csv"',
      ])
    checkSource(trigger, childOf(watch, 'source'), policy, reporter)
    for (const mistake of mistakesOf(trigger, watch)) report(mistake)
    const sets = childOf(watch, 'waitFor')
    for (const mistake of mistakesOfSets(trigger, sets)) report(mistake, sets)
    const taker = takers.get(sourcePath(trigger))
    const again = 'only one trigger can take a file; change the path'
    if (taker !== undefined && taker !== trigger.id)
      report(['path', `the trigger ${taker} takes the same files`, again])
    takers.set(sourcePath(trigger), taker ?? trigger.id)
    warnOfPattern(splitRemotePath(trigger.path).name, 'path', childOf(watch, 'path'), reporter)
  }
}

/** The keys of a watch that only the other kind of watch has. */
function onlyIn(
  one: typeof folderWatch | typeof remoteWatch,
  other: typeof folderWatch | typeof remoteWatch,
  watch: DocumentNode,
) {
  return entriesOf(watch)
    .map(([key]) => key)
    .filter((key) => Object.hasOwn(one.properties, key) && !Object.hasOwn(other.properties, key))
}

function checkSource(
  { source, done, failed }: RemoteTrigger,
  place: DocumentNode | undefined,
  policy: DocumentPolicy | undefined,
  reporter: DiagnosticCollector,
): void {
  const known = policy?.sources()
  if (!known || !place) return
  const remote = [...known].flatMap(([name, use]) => (use.remote === undefined ? [] : [name]))
  const use = known.get(source)
  if (use === undefined) {
    const hint = didYouMean(source, remote) ?? 'declare it in audience.yaml, under sources, with sftp or s3'
    reporter.error({ code: 'unknown-source', message: `audience.yaml has no source ${source}`, hint }, place)
  } else if (use.remote === undefined) {
    const hint = didYouMean(source, remote) ?? 'to watch a folder of this machine, leave `source` out'
    reporter.wrongValue(`source ${source} is not on another machine`, place, hint)
  } else if (WHY_NO_TAGS[use.remote] !== undefined && [done, failed].some(({ act }) => act === 'tag')) {
    const message = `source ${source} has no tags: ${WHY_NO_TAGS[use.remote]}`
    reporter.wrongValue(message, place, 'write keep, delete or { move: FOLDER }')
  }
}

/** Why the files of a kind of source cannot have tags; undefined if they can. */
const WHY_NO_TAGS: Readonly<Record<RemoteConfig['kind'], string | undefined>> = {
  sftp: 'it speaks SFTP',
  s3: undefined,
}

function* mistakesOf({ path, everyMs, done, failed }: RemoteTrigger, watch: DocumentNode): Generator<Mistake> {
  const { folder, name } = splitRemotePath(path)
  const why = whyNoRemotePath(folder)
  if (why !== undefined) yield ['path', `the folder of path cannot be used: ${why}`, 'such as "incoming/*.csv"']
  else if (/[*?[{]/.test(folder))
    yield [
      'path',
      'path has a pattern in the name of a folder',
      'only the last part is a pattern; give each folder its own trigger',
    ]
  else if (isTaken(folder)) yield amongTaken('path')
  if (name === '') yield ['path', 'path names a folder, not files', `write "${joinRemotePath(folder, '*.csv')}"`]
  else if (!isFilePattern(name)) yield ['path', 'the pattern of path cannot be read', 'such as "incoming/*.csv"']
  if (everyMs < SHORTEST_MS || everyMs > DAY_MS) yield ['every', 'every must be from 10s to 1d', 'such as 1m']
  for (const [key, act] of Object.entries({ done, failed })) {
    const text = textOf(childOf(watch, key))
    if (text !== undefined && text !== 'keep' && text !== 'delete') {
      yield [key, `${key} must be ${ACTS}`, `to move files into a folder, write ${key}: { move: ${text} }`]
    } else if (act.act === 'move') yield* mistakesOfFolder(key, act.folder, folder)
  }
  if (failed.act === 'delete') {
    yield [
      'failed',
      'failed deletes files that had no successful run',
      'write { move: FOLDER }, so that people can look at them',
    ]
  } else if (isLeaving(done) !== isLeaving(failed)) {
    const hint = isLeaving(done)
      ? 'done takes files out of their folder, so failed needs { move: FOLDER }'
      : 'done leaves files where they are, so write failed: keep, or done: { move: FOLDER }'
    yield ['failed', 'done and failed do not fit together', hint]
  } else if (done.act === 'move' && failed.act === 'move' && done.folder === failed.folder) yield SAME_FOLDERS
}

function* mistakesOfFolder(key: string, folder: string, watched: string): Generator<Mistake> {
  const why = folder === '' ? 'it is empty' : whyNoRemotePath(folder)
  if (why !== undefined) yield [key, `the folder of ${key} cannot be used: ${why}`, 'such as { move: done }']
  else if (folder === watched) yield watchedItself(key)
  else if (isTaken(folder)) yield amongTaken(key)
}

function isTaken(folder: string): boolean {
  return folder.split('/').includes(TAKEN_FOLDER)
}

/** What is wrong with the sets of a trigger. */
function* mistakesOfSets({ path, waitFor }: RemoteTrigger, node: DocumentNode | undefined): Generator<Mistake> {
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
        'path has to match all files of a set, such as "incoming/*.csv"',
      ]
    else if (same !== undefined)
      yield [
        key,
        `one file can match both ${same} and ${pattern}`,
        'each file belongs to one pattern; make them narrower',
      ]
  }
}
