import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../../../src/core/json.ts'
import { givePeopleTo } from '../../support/people.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { inWorldProcess } from './in-world-process.ts'
import type { Happening, Story } from './story.ts'

const CHILD = join(import.meta.dirname, 'witness-child.ts')

/** The output, the requests and the records of a rehearsal of a test file, in order. */
type Heard = readonly (readonly [head: string, content: string])[]

interface Witnessed {
  readonly heard: Heard
  readonly failures: readonly Json[]
}

/** Runs a story in a rehearsal. */
export async function rehearse(project: string, document: string, happenings: readonly Happening[]): Promise<Story> {
  const file = join(project, 'story.test.yaml')
  const lists = globSync('data/**/*.{csv,parquet}', { cwd: project })
  writeFileSync(file, asTest(document, happenings, lists))
  const place = tempFolder()
  await givePeopleTo(place)
  const [lived] = await inWorldProcess<readonly Witnessed[]>(CHILD, [file, join(place, 'population')], place)
  if (!lived || lived.failures.length > 0) throw new Error(JSON.stringify(lived?.failures))
  const records = new Map<string, Json[]>()
  const exchanges: Story['exchanges'][number][] = []
  for (const [head, content] of lived.heard) {
    const [at = '', direction, method, path] = head.split(' ')
    if (direction === undefined) {
      const stored = JSON.parse(content) as { readonly record: Json }
      records.set(at, [...(records.get(at) ?? []), stored.record])
    } else if (direction === 'answer' && content.startsWith('HTTP/1.1 '))
      exchanges.push({ method: method!, path: path!, status: Number(content.split(' ')[1]) })
  }
  return { runs: [...records.values()].toReversed(), exchanges, folders: ['/project'] }
}

function asTest(document: string, happenings: readonly Happening[], lists: readonly string[]): string {
  const events = happenings.map(({ run, drop, decide, ends }) => {
    const act = {
      ...(run && { run: { inputs: run } }),
      ...(drop && { drop: { [join(drop.to, drop.from.split('/').at(-1)!)]: { copy: drop.from } } }),
      ...(decide && { [decide.decision === 'approved' ? 'approve' : 'reject']: decide.step }),
    }
    return { ...act, expect: ends ? { status: ends } : {} }
  })
  const files = Object.fromEntries(lists.map((name) => [name, { copy: name }]))
  return JSON.stringify({ test: document, given: { from: '2026-10-20', files }, tests: [{ it: 'lives', do: events }] })
}
