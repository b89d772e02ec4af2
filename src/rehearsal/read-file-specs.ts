import { SEGMENT_SIGNALS } from '../contract/enumerations.ts'
import { childOf, type DocumentNode, entriesOf, textOf } from '../document/document-node.ts'
import { optionOf } from '../pipeline/read-value.ts'
import type { FileSpec } from './test-document.ts'
import { existingFile, keysAmong, numberIn, onlyKey, projectPath, type Reading } from './test-reading.ts'

/** The files of a map, by their names. A file that is null is removed, if `change` allows that. */
export function readFileSpecs(node: DocumentNode | undefined, reading: Reading): ReadonlyMap<string, FileSpec> {
  return new Map([...readChanges(node, reading)].flatMap(([name, spec]) => (spec ? [[name, spec] as const] : [])))
}

export function readChanges(
  node: DocumentNode | undefined,
  reading: Reading,
): ReadonlyMap<string, FileSpec | undefined> {
  const files = new Map<string, FileSpec | undefined>()
  const names = new Map<string, string>()
  for (const [name, { key, value }] of entriesOf(node)) {
    const path = projectPath(name, reading.pipelineFolder, key, reading)
    const same = path === undefined ? undefined : names.get(path)
    if (same !== undefined) {
      const message = `${name} is the same file as ${same}`
      reading.reporter.error({ code: 'duplicate-key', message, hint: 'leave one of them out' }, key)
    }
    if (path !== undefined) names.set(path, name)
    files.set(name, readFile(value, reading))
  }
  return files
}

const LIST_KEYS = ['others', 'signal', 'seed'] as const

function readFile(node: DocumentNode, reading: Reading): FileSpec | undefined {
  const text = textOf(node)
  if (text !== undefined) return { text }
  if (node.kind !== 'map') return undefined
  const kind = onlyKey(node, ['people', 'copy'], reading.reporter)
  if (kind?.name === 'copy') {
    for (const { name, entry } of keysAmong(node, LIST_KEYS)) {
      const message = `${name} is for a made-up list of people, not for a copy`
      reading.reporter.wrongValue(message, entry.key, `leave ${name} out`)
    }
    return { copy: existingFile(kind.entry.value, reading) ?? '' }
  }
  const people = numberIn(childOf(node, 'people')) ?? 0
  return {
    people,
    others: othersOf(childOf(node, 'others'), people),
    signal: optionOf(SEGMENT_SIGNALS, childOf(node, 'signal')) ?? 'EMAIL',
    seed: numberIn(childOf(node, 'seed')),
  }
}

/** A count, or a share of the people such as `3%`. */
function othersOf(node: DocumentNode | undefined, people: number): number {
  const text = textOf(node)
  return text === undefined ? (numberIn(node) ?? 0) : Math.round((people * Number.parseFloat(text)) / 100)
}
