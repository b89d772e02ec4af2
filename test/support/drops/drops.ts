import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../audience.ts'
import { SEGMENT_STEP } from '../four-writes.ts'

/** A file that somebody drops, and what must happen to it. */
export interface Drop {
  readonly name: string
  readonly content: Buffer
  /** `slowly`: in many small writes. `renamed`: written aside. `marked`: with a marker. `copied`: in one write. */
  readonly how: 'slowly' | 'renamed' | 'marked' | 'copied'
  readonly into: 'inbox' | 'repeats'
  readonly ends: 'done' | 'failed'
  /** Whether it must have its own run. Undefined: one of the files with the same content has it. */
  readonly runs?: boolean
  /** The text of the reason that is written beside it. */
  readonly why?: RegExp
}

const HOW = ['slowly', 'renamed', 'marked', 'copied'] as const
const ROWS = 20

/** All files of one afternoon, with this many plain lists, shuffled by `random`. */
export function dropsOf(lists: number, random: () => number): Drop[] {
  const people = readFileSync(join(root, 'pipelines/data/auto-intenders.csv'), 'utf8').split('\n').slice(1)
  const list = () => Buffer.from(['email', ...people.splice(0, ROWS), ''].join('\n'))
  const drops: Drop[] = []
  const add = (drop: Pick<Drop, 'name' | 'content'> & Partial<Drop>) => {
    drops.push({ how: HOW[drops.length % HOW.length]!, into: 'inbox', ends: 'done', runs: true, ...drop })
  }
  for (let number = 1; number <= lists; number += 1) add({ name: `list-${number}.csv`, content: list() })
  for (const name of ['first', 'second', 'third']) {
    const content = list()
    const copies = [`${name}.csv`, `${name} copy.csv`, `${name} copy (2).csv`]
    for (const copy of copies) drops.push({ name: copy, content, how: 'renamed', into: 'inbox', ends: 'done' })
  }
  for (let version = 1; version <= 3; version += 1) add({ name: 'versions.csv', content: list() })
  const same = list()
  for (let number = 1; number <= 3; number += 1)
    add({ name: `same-${number}.csv`, content: same, into: 'repeats', how: 'renamed' })
  for (const name of ['refused-1.csv', 'refused-2.csv', 'refused-3.csv'])
    add({ name, content: list(), ends: 'failed', why: /its run \S+ failed at the step upload: .*nobody wants this/ })
  const unfit = { ends: 'failed', runs: false } as const
  for (const name of ['empty-1.csv', 'empty-2.csv'])
    add({ name, content: Buffer.alloc(0), ...unfit, why: /it is empty|nothing in it/ })
  for (const name of ['devices-1.csv', 'devices-2.csv'])
    add({ name, content: devices(name), ...unfit, why: /0 of its 20 rows .* lines 2, 3, / })
  add({ name: 'picture.csv', content: Buffer.from([0x89, 0x50, 0xff, 0xfe, 0x0a, 0xc3]), ...unfit, why: /not UTF-8/ })
  return drops
    .map((drop) => ({ drop, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ drop }) => drop)
}

function devices(name: string): Buffer {
  const rows = Array.from({ length: ROWS }, (_, row) => `${name}-${row}`)
  return Buffer.from(['id', ...rows, ''].join('\n'))
}

/** The document for the folder `inbox`: each different content makes one segment, named after the content. */
export const INBOX = document('inbox', 'repeat: false', '${{ trigger.sha256 }}')
/** The same for the folder `repeats`, where each file makes a segment. */
export const REPEATS = document('repeats', 'repeat: true', '${{ trigger.at }} ${{ trigger.name }}')

function document(folder: string, repeat: string, name: string): string {
  return `version: 1
name: ${folder}
inputs:
  file: { type: file }
  name: { type: string }
triggers:
  - id: drop
    watch:
      path: ../${folder}
      pattern: "*.csv"
      settle: 1s
      done: ../done
      failed: ../failed
      ${repeat}
      precheck: { signal: EMAIL }
    inputs: { file: "\${{ trigger.file }}", name: "${name}" }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
    expect:
      - check: \${{ !fileName(inputs.file).startsWith("refused") }}
        message: nobody wants this
${SEGMENT_STEP}`
}
