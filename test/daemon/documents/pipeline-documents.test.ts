import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PipelineDocuments } from '../../../src/daemon/documents/pipeline-documents.ts'
import { readNewPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A folder of documents, and its known state after each look. */
function setUp(steady?: () => number) {
  const folder = tempFolder()
  const path = (name: string) => join(folder, name)
  const reads: string[] = []
  const documents = new PipelineDocuments(
    folder,
    (source) => {
      reads.push(source.file.slice(folder.length + 1))
      return readNewPipeline(source)
    },
    steady,
  )
  return {
    folder,
    path,
    documents,
    put(name: string, text: string) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text)
    },
    remove: (name: string) => rmSync(path(name), { recursive: true }),
    /** `name < file (description)` of the active documents, in order, and then the problems. */
    async look(): Promise<string> {
      await documents.scan()
      const live = [...documents.documents].map(
        ([name, { file, pipeline }]) => `${name} < ${file} (${pipeline.description})`,
      )
      const problems = documents.problems.map(
        ({ file, messages, keepsLast }) => `${file}${keepsLast ? ' keeps' : ''}: ${messages.join(' & ')}`,
      )
      return [...live.sort(), ...problems].join('\n').replaceAll(`${folder}/`, '')
    },
    /** The documents that were read since the last call. */
    read: () => reads.splice(0).sort().join(' '),
  }
}

const document = (name: string, description = '1') =>
  `version: 1\nname: ${name}\ndescription: "${description}"\nsteps: [{ id: a, uses: groups.list }]\n`
/** A path whose é is a byte that is not UTF-8. */
const latin1 = (path: string) => Buffer.from(path, 'latin1')
const INVALID = 'version: 1\nname: p\nsteps: []\nstep: 1\n'

describe('documents', () => {
  test('that become invalid say how many errors they have, where, and since when the version in use stands', async () => {
    const { put, look, documents, path } = setUp()
    put('p.yaml', document('p'))
    const saved = new Date(Date.UTC(2026, 10, 21, 10, 41))
    utimesSync(path('p.yaml'), saved, saved)
    await look()
    put('p.yaml', INVALID)
    await look()
    const [problem] = documents.problems
    expect(problem).toMatchObject({
      keepsLast: true,
      invalid: { errors: 2, validFrom: saved.getTime(), text: INVALID },
    })
    expect(problem?.invalid?.places.map((place) => place?.line).toSorted()).toEqual([3, 4])
    put('p.yaml', document('p', '2'))
    await look()
    expect(documents.problems).toEqual([])
  })

  test('are all YAML files below the folder, but hidden ones, those of packages, and tests of pipelines', async () => {
    const { put, look, path } = setUp()
    const names = ['p.yaml', 'a/b/q.yml', '.git/r.yaml', 'node_modules/s.yaml', '.t.yaml', 'u.yaml~', 'v.json']
    for (const [index, name] of names.entries()) put(name, document(`n${index}`))
    for (const name of ['p.test.yaml', 'a/q.test.yml']) put(name, 'test: p.yaml\n')
    put('data/list.csv', 'x')
    symlinkSync(path('a'), path('link'))
    put('.store/x.yaml', document('x'))
    symlinkSync(path('.store/x.yaml'), path('linked.yaml'))
    expect(await look()).toBe('n0 < p.yaml (1)\nn1 < a/b/q.yml (1)\nx < linked.yaml (1)')
  })

  test('that change replace what was there; the others stay the same objects', async () => {
    const { put, look, documents, read, path } = setUp()
    put('p.yaml', document('p'))
    put('q.yaml', document('q'))
    await look()
    const before = documents.documents
    read()
    put('p.yaml', document('p', '2'))
    utimesSync(path('q.yaml'), 1, 1)
    expect(await look()).toBe('p < p.yaml (2)\nq < q.yaml (1)')
    expect(read()).toBe('p.yaml')
    expect(documents.documents.get('q')).toBe(before.get('q'))
    expect(documents.documents.get('p')).not.toBe(before.get('p'))
  })

  test('that become invalid stay as they were, until they are valid again', async () => {
    const { put, look, documents } = setUp()
    put('p.yaml', document('p'))
    await look()
    const before = documents.documents.get('p')
    put('p.yaml', INVALID)
    expect(await look()).toMatch(/^p < p.yaml \(1\)\np.yaml keeps: .*p.yaml:\d+:\d+ .+ \[.+\]/)
    put('p.yaml', '')
    expect(await look()).toMatch(/^p < p.yaml \(1\)\np.yaml keeps: .+/)
    put('p.yaml', document('p'))
    expect(await look()).toBe('p < p.yaml (1)')
    expect(documents.documents.get('p')).toBe(before)
    put('p.yaml', document('p', '2'))
    expect(await look()).toBe('p < p.yaml (2)')
  })

  test.each(['a folder', 'a pipe', 'a link that leads nowhere'])(
    'in whose place is %s stay as they were, and are told',
    async (what) => {
      const { put, look, path, remove } = setUp()
      put('a.yaml', document('a'))
      put('b.yaml', document('b'))
      await look()
      for (const name of ['a.yaml', 'c.yml']) {
        if (name === 'a.yaml') remove(name)
        if (what === 'a folder') mkdirSync(path(name))
        else if (what === 'a pipe') execFileSync('mkfifo', [path(name)])
        else symlinkSync('nowhere', path(name))
      }
      const why = what.includes('link') ? 'it is a link that leads nowhere' : 'it is not a file'
      const expected = ['a < a.yaml (1)', 'b < b.yaml (1)', `a.yaml keeps: ${why}`, `c.yml: ${why}`]
      expect((await look()).split('\n')).toEqual(expected)
      expect((await look()).split('\n')).toEqual(expected)
    },
  )

  test('that never were valid are not acted on', async () => {
    const { put, look } = setUp()
    put('p.yaml', INVALID)
    put('q.yaml', document('q'))
    expect(await look()).toMatch(/^q < q.yaml \(1\)\np.yaml: .*p.yaml:\d/)
  })

  test('that are removed, moved or renamed are followed', async () => {
    const { put, look, path, remove } = setUp()
    for (const name of ['p', 'q', 'r']) put(`${name}.yaml`, document(name))
    await look()
    remove('p.yaml')
    renameSync(path('q.yaml'), path('moved.yaml'))
    put('r.yaml', document('renamed'))
    expect(await look()).toBe('q < moved.yaml (1)\nrenamed < r.yaml (1)')
  })

  test('that are away for seconds stay in use; then they count as removed', async () => {
    let now = 0
    const { put, look, remove, path, documents } = setUp(() => now)
    for (const name of ['p', 'q']) put(`${name}.yaml`, document(name))
    await look()
    const before = documents.documents.get('p')
    remove('p.yaml')
    expect(await look()).toBe('p < p.yaml (1)\nq < q.yaml (1)')
    now += 9_999
    expect(await look()).toBe('p < p.yaml (1)\nq < q.yaml (1)')
    put('p.yaml', document('p'))
    await look()
    expect([documents.documents.get('p'), documents.isSomeAway]).toEqual([before, false])
    remove('p.yaml')
    await look()
    now += 10_000
    expect(await look()).toBe('q < q.yaml (1)')
    // A moved document appears at its new place immediately.
    renameSync(path('q.yaml'), path('moved.yaml'))
    expect(await look()).toBe('q < moved.yaml (1)')
    expect(documents.isSomeAway).toBe(false)
  })

  test('that change while all are read are not taken: a later look finds them whole', async () => {
    let meanwhile: () => void = () => undefined
    const { put, remove, documents } = setUp(() => {
      meanwhile()
      return 0
    })
    for (const name of ['p', 'q']) put(`${name}.yaml`, document(name))
    await documents.scanIfStill()
    const before = documents.documents
    remove('q.yaml')
    put('p.yaml', document('p', '2'))
    // The scan reads the clock after it has read p.yaml and found that q.yaml is missing.
    meanwhile = () => put('p.yaml', document('p', 'three'))
    expect([await documents.scanIfStill(), documents.documents]).toEqual([false, before])
    meanwhile = () => undefined
    expect(await documents.scanIfStill()).toBe(true)
    expect(documents.documents.get('p')?.pipeline.description).toBe('three')
  })

  test.each([
    ['a.yaml', 'b.yaml'],
    ['b.yaml', 'a.yaml'],
  ])('of one name: the one that was there is acted on (%s came first)', async (first, second) => {
    const { put, look, remove } = setUp()
    put(first, document('p', first))
    await look()
    put(second, document('p', second))
    expect(await look()).toBe(
      `p < ${first} (${first})\n${second}: the pipeline p is already in ${first}, so this one is not run; give one of them another name`,
    )
    put(first, INVALID)
    expect(await look()).toMatch(new RegExp(`^p < ${first} \\(${first}\\)\n`))
    remove(first)
    expect(await look()).toBe(`p < ${second} (${second})`)
  })

  test('of one name that come together: the first by path is acted on', async () => {
    const { put, look } = setUp()
    for (const file of ['b.yaml', 'a.yaml']) put(file, document('p', file))
    expect(await look()).toMatch(/^p < a.yaml \(a.yaml\)\n/)
  })

  test('that run others are looked at again when those change', async () => {
    const { put, look, remove, read } = setUp()
    put(
      'parent.yaml',
      'version: 1\nname: parent\nsteps: [{ id: a, uses: pipelines.run, with: { file: child.yaml } }]\n',
    )
    put('other.yaml', document('other'))
    expect(await look()).toMatch(/^other .*\nparent.yaml: .*there is no pipeline at/)
    read()
    put('child.yaml', document('child'))
    expect(await look()).toMatch(/^child .*\nother .*\nparent < parent.yaml [^\n]*$/)
    expect(read()).toBe('child.yaml parent.yaml')
    remove('child.yaml')
    expect(await look()).toMatch(/^other .*\nparent < parent.yaml .*\nparent.yaml keeps: /)
    read()
    await look()
    expect(read()).toBe('')
  })
})

describe('what cannot be read', () => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['a link in a circle', (path) => symlinkSync(path, path), /^p.yaml keeps: it cannot be read: ELOOP/],
    ['a link to a folder', (path) => symlinkSync('/', path), /^p.yaml keeps: it is not a file$/],
    [
      'a huge file',
      (path) => writeFileSync(path, 'x'.repeat(3_000_001)),
      /^p.yaml keeps: it has more than 1,000,000 characters, the limit for a pipeline$/,
    ],
    [
      'a file that is too large',
      (path) => writeFileSync(path, `#${'€'.repeat(1_000_000)}`),
      /^p.yaml keeps: .*it has more than 1,000,000 characters/,
    ],
    ['bytes', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1])), /^p.yaml keeps: .*p.yaml:1:1/],
  ])('stays as it was: %s', async (_name, replace, expected) => {
    const { put, look, path, remove } = setUp()
    put('p.yaml', document('p'))
    await look()
    remove('p.yaml')
    replace(path('p.yaml'))
    const [live, problem] = (await look()).split('\n')
    expect(live).toBe('p < p.yaml (1)')
    expect(problem).toMatch(expected)
    await look()
    remove('p.yaml')
    put('p.yaml', document('p', '2'))
    expect(await look()).toBe('p < p.yaml (2)')
  })

  test('is the folder itself: all stays', async () => {
    const { folder, put, look, path } = setUp()
    put('p.yaml', document('p'))
    put('a/q.yaml', document('q'))
    await look()
    const aside = `${folder}-aside`
    renameSync(folder, aside)
    onTestFinished(() => rmSync(aside, { recursive: true, force: true }))
    expect(await look()).toMatch(/^p < p.yaml \(1\)\nq < a\/q.yaml \(1\)\n\S+ keeps: the folder cannot be read: ENOENT/)
    renameSync(aside, folder)
    rmSync(path('p.yaml'))
    expect(await look()).toBe('q < a/q.yaml (1)')
  })

  test('is nested without end', async () => {
    const { put, look } = setUp()
    put('p.yaml', document('p'))
    put(`${'d/'.repeat(25)}q.yaml`, document('q'))
    expect(await look()).toMatch(/^p < p.yaml \(1\)\n(d\/)+d keeps: .*nested deeper than 20 folders$/)
  })
})

test('other work gets its turn between documents', async () => {
  const { put, documents } = setUp()
  for (let index = 0; index < 30; index++) put(`p${index}.yaml`, document(`p${index}`))
  let turns = 0
  let isDone = false
  const take = () => {
    turns += 1
    if (!isDone) setImmediate(take)
  }
  take()
  await documents.scan()
  isDone = true
  expect(turns).toBeGreaterThan(30)
})

test('a document whose name is not UTF-8 is a problem, and is not left out silently', async () => {
  const { folder, put, look, path } = setUp()
  put('good.yaml', document('good'))
  writeFileSync(latin1(`${folder}/café.yaml`), document('bad'))
  const problem = 'caf\ufffd.yaml: its name is not UTF-8: rename it'
  expect(await look()).toBe(`good < good.yaml (1)\n${problem}`)
  expect(await look()).toBe(`good < good.yaml (1)\n${problem}`)
  renameSync(latin1(`${folder}/café.yaml`), path('bad.yaml'))
  expect(await look()).toBe('bad < bad.yaml (1)\ngood < good.yaml (1)')
})
