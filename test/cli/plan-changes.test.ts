import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cell, planMarkdown } from '../../src/cli/views/plan-markdown.ts'
import { renderPlan } from '../../src/cli/views/render-plan.ts'
import type { FieldChange } from '../../src/core/format/field-change.ts'
import { commandLine } from '../support/command-line.ts'
import { givePeople } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'

const people = (...names: string[]) => `email\n${names.map((name) => `${name}@example.com\n`).join('')}`
const document = (segment: string, more = '') => `version: 1
name: p
env: [DEAL]
steps:
  - { id: list, uses: files.prepare, with: { from: { file: list.csv }, column: email, signal: EMAIL } }
  - id: upload
    uses: files.upload
    with: { file: "\${{ steps.list.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
  - id: segment
    uses: segments.ensure
    with:
      segmentFileName: \${{ steps.upload.outputs.name }}
      participantSegmentId: ticking
      ${segment}
      uploadSignal: EMAIL
      resultContent: BGID
      providerId: 1001
${more}`

test('a plan shows each field with what is there and what it will be, and the figures of a list', async () => {
  const cwd = tempFolder()
  await givePeople(join(cwd, '.audience'))
  const write = (path: string, text: string) => writeFileSync(join(cwd, path), text)
  const deal = ['deal', 'of', 'nobody'].join('-')
  const file = join(cwd, 'p.yaml')
  const audience = (...args: string[]) => commandLine(args, { cwd, env: { DEAL: deal } })
  write('audience.yaml', 'profile: local\n')
  write('list.csv', people('ann', 'bo', 'cy'))
  write('p.yaml', document('segmentName: Tick\n      description: ask ann@example.com\n      cpm: 1.5'))
  const first = await audience('run', file)
  expect(first.code, first.err).toBe(0)

  const update =
    '  - { id: change, uses: segments.update, with: { id: "${{ steps.segment.outputs.segmentId }}", segmentName: Tock, cpm: 2, dataOwner: null } }\n'
  write('p.yaml', document('segmentName: Tick', update))
  const plain = JSON.parse((await audience('plan', file, '--json')).out)
  expect(plain.steps[3].changes).toEqual([
    { field: 'segmentName', from: 'Tick', to: 'Tock' },
    { field: 'cpm', from: 1.5, to: 2 },
  ])

  write('list.csv', people('ann', 'bo', 'dee', 'eve'))
  const secret = 'segmentName: Tick tock\n      description: "${{ env.DEAL }}"\n      cpm: 1.5\n      category: Clocks'
  write('p.yaml', document(secret))
  const plan = JSON.parse((await audience('plan', file, '--json')).out)
  const text = renderPlan(plan, undefined, (_, shown) => shown).join('\n')
  expect(text).toContain('segmentName: "Tick" → "Tick tock"')
  expect(text).toContain('category: nothing → "Clocks"')
  expect(text).toContain('description: "ask [e-mail]" → "***"')
  expect(text).toMatch(/segmentFileName: "p-\w+\.csv" → "p-\w+\.csv"/)
  expect(text).toContain('list: 4 rows, 4 people, 2 added, 1 gone')
  expect(text).not.toContain('cpm:')
  expect(planMarkdown(plan).join('\n')).toContain('<code>segmentName: "Tick" → "Tick tock"</code>')
  const { changes, list } = plan.steps[2] as { readonly changes: readonly FieldChange[]; readonly list: object }
  expect(changes).toContainEqual({ field: 'segmentName', from: 'Tick', to: 'Tick tock' })
  expect(changes).toContainEqual({ field: 'category', from: null, to: 'Clocks' })
  expect(list).toEqual({ rows: 4, keys: 4, added: 2, removed: 1 })
})

test('an entity in a text stays as it is written: it would become a mention', () => {
  expect(cell('&commat;octocat &lt;b&gt; &#64;team')).toBe('\\&commat;octocat \\&lt;b\\&gt; \\&\\#64;team')
})
