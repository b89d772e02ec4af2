import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { audience, root } from '../support/audience.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DEVICE = '6d92078a-8246-4ba4-ae5b-76104861e7dc'
/** Opt-out files whose headers name other signals than e-mail addresses. */
const OTHERS: Readonly<Record<string, string>> = {
  idfa: `idfa\n${DEVICE}\n`,
  aaid: `aaid\n${DEVICE}\n`,
  ip: 'ip\n10.0.0.1\n',
  'record-id': 'record_id\nS1\n',
  mixed: `idfa,aaid,ip,address\n${DEVICE},,10.0.0.1,12 Hill Rd\n`,
}
const LISTS = {
  EMAIL: 'p1@x.test',
  IP: '10.0.0.2',
  IDFA: DEVICE.replace('6d', '7d'),
  RECORD_ID: 'S2',
  ADDRESS: '13 Hill Rd',
}

/** A step for each list; the list of e-mail addresses is uploaded. */
function project(): string {
  const folder = tempFolder()
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const [name, text] of Object.entries(OTHERS)) file(`${name}.csv`, text)
  const suppress = Object.keys(OTHERS).map((name) => `${name}.csv`)
  file('audience.yaml', `privacy: { suppress: [${suppress.join(', ')}] }\n`)
  const steps = Object.entries(LISTS).map(([signal, key]) => {
    file(`${signal}.list`, `${signal.toLowerCase()}\n${key}\n`)
    return `  - { id: ${signal.toLowerCase()}, uses: files.prepare, with: { from: { file: ${signal}.list }, column: 1, signal: ${signal} } }\n`
  })
  const upload = `  - { id: upload, uses: files.upload, with: { file: "\${{ steps.email.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID } }\n`
  file('lists.yaml', `version: 1\nname: lists\nsteps:\n${steps.join('')}${upload}`)
  return folder
}

test('opt-out files that are for other signals are not for this list: it is made, and searched', async () => {
  const cwd = project()
  const { code, out, err } = await audience(['run', 'lists.yaml', '--json'], { cwd })
  expect(code, out + err).toBe(0)
  const check = await audience(['privacy', 'check', 'mixed.csv', '--json'], { cwd })
  expect(JSON.parse(check.out)).toMatchObject({ unknown: [{ why: expect.stringContaining('no key of its signal') }] })
})

/** The bundle escapes characters that are not ASCII, so a program that reads the source sees a different text. */
test('no pattern is given to another program as the text that stands in the source', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const raw = files.filter((name) =>
    /literal\([^)]*\.source\b|String\.raw`[^`]*[^\0-\x7f`][^`]*`/.test(readFileSync(join(root, 'src', name), 'utf8')),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(raw).toEqual(['contract/normalise-sql.ts'])
})
