import { describe, expect, test } from 'vitest'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { type InputSources, resolveInputs } from '../../src/pipeline/resolve-inputs.ts'
import { stepTypes } from './step-types.ts'

const text = `version: 1
name: p
inputs:
  need: { type: string, description: what it is about }
  count: { type: integer, default: 100 }
  ratio: { type: number, default: 2 }
  dry: { type: boolean, default: false }
  day: { type: date, default: "2026-01-31" }
  signal: { type: enum, values: [EMAIL, IDFA], default: EMAIL }
  scopes: { type: list, default: [CABLE] }
  ids: { type: list, items: integer, default: [] }
  file: { type: file, default: data/a.csv }
  files: { type: list, items: file, default: [] }
  audiences:
    type: list
    items: { id: string, file: file, partner: integer, cpm: { type: number, default: 1 }, look: { type: file, default: data/a.csv } }
    default: []
steps: [{ id: list, uses: groups.list }]
`
const pipeline = loadPipeline({ text, file: 'pipelines/p.yaml', stepTypes }).pipeline!

const there = ['/desk/pipelines/data/a.csv', '/desk/b.csv', '/desk/pipelines/both.csv', '/desk/both.csv', '/abs.csv']
const resolve = (sources: Partial<InputSources>) =>
  resolveInputs(pipeline, { cwd: '/desk', exists: (path) => there.includes(path), checkFile: () => {}, ...sources })
const given = (...inputs: string[]) => resolve({ given: ['need=x', ...inputs] })

const failure = (sources: Partial<InputSources>) => {
  try {
    return resolve(sources)
  } catch (error) {
    return error
  }
}

describe('inputs of a person', () => {
  test('are the defaults where nothing is given', () => {
    expect(given()).toEqual({
      need: 'x',
      count: 100n,
      ratio: 2,
      dry: false,
      day: '2026-01-31',
      signal: 'EMAIL',
      scopes: ['CABLE'],
      ids: [],
      file: '/desk/pipelines/data/a.csv',
      files: [],
      audiences: [],
    })
  })

  test.each([
    ['count=-5', { count: -5n }],
    ['count=9007199254740993', { count: 9007199254740993n }],
    ['ratio=1.5e3', { ratio: 1500 }],
    ['ratio=3', { ratio: 3 }],
    ['dry=true', { dry: true }],
    ['day=2028-02-29', { day: '2028-02-29' }],
    ['signal=IDFA', { signal: 'IDFA' }],
    ['need=a=b', { need: 'a=b' }],
    ['need=', { need: '' }],
    ['scopes=A, B', { scopes: ['A', 'B'] }],
    ['scopes=', { scopes: [] }],
    ['scopes=["A,B","C"]', { scopes: ['A,B', 'C'] }],
    ['ids=[1, 9007199254740993]', { ids: [1n, 9007199254740993n] }],
    ['ids=1,2', { ids: [1n, 2n] }],
    ['file=b.csv', { file: '/desk/b.csv' }],
    ['file=both.csv', { file: '/desk/pipelines/both.csv' }],
    ['file=/abs.csv', { file: '/abs.csv' }],
    ['files=b.csv,data/a.csv', { files: ['/desk/b.csv', '/desk/pipelines/data/a.csv'] }],
  ])('-i %s', (input, expected) => {
    const [name] = input.split('=')
    const sources = name === 'need' ? { given: [input] } : { given: ['need=x', input] }
    expect(resolve(sources)).toMatchObject(expected)
  })

  test('are collected where a list is given several times', () => {
    expect(given('scopes=A', 'scopes=B,C')).toMatchObject({ scopes: ['A', 'B', 'C'] })
  })

  test.each([
    [['need'], 'malformed-input', '-i need has no value', 'write -i name=value'],
    [[], 'missing-input', 'the pipeline p needs the input need (what it is about)', 'give it: -i need=text'],
    [['need=x', 'cuont=1'], 'unknown-input', 'the pipeline p has no input cuont', 'did you mean count?'],
    [['need=x', 'need=y'], 'repeated-input', '-i need is given 2 times', 'give it once'],
    [['need=x', 'count=1.5'], 'wrong-input', 'the input count must be an integer', undefined],
    [['need=x', 'count=9223372036854775808'], 'wrong-input', 'the input count does not fit in 64 bits', undefined],
    [['need=x', 'ratio=0x10'], 'wrong-input', 'the input ratio must be a number', undefined],
    [['need=x', 'dry=yes'], 'wrong-input', 'the input dry must be true or false', undefined],
    [['need=x', 'day=2026-02-30'], 'wrong-input', 'the input day must be a date such as 2026-01-31', undefined],
    [['need=x', 'signal=EMIAL'], 'wrong-input', 'the input signal must be one of EMAIL, IDFA', 'did you mean EMAIL?'],
    [['need=x', 'ids=1,two'], 'wrong-input', 'the input ids[1] must be an integer', undefined],
    [
      ['need=x', 'file=c.csv'],
      'file-not-found',
      'the file c.csv of the input file is not there, or is a folder: looked for /desk/pipelines/c.csv and /desk/c.csv',
      'give another: -i file=path/to/file',
    ],
  ])('-i %j: %s', (inputs, code, message, hint) => {
    expect(failure({ given: inputs })).toMatchObject({ code, kind: 'usage', message, hint })
  })

  test('looks for a default in the folder of the document only', () => {
    const sources = { given: ['need=x'], exists: (path: string) => path === '/desk/data/a.csv' }
    expect(failure(sources)).toMatchObject({
      code: 'file-not-found',
      message:
        'the file data/a.csv of the input file is not there, or is a folder: looked for /desk/pipelines/data/a.csv',
      at: { file: 'pipelines/p.yaml', line: 12 },
    })
  })
})

describe('a list of objects', () => {
  const entry = { id: 'a', file: '/desk/b.csv', partner: 9007199254740993n, cpm: 1, look: '/desk/pipelines/data/a.csv' }
  const texts = {
    'list.json': '\uFEFF[{ "id": "a", "file": "b.csv", "partner": 9007199254740993 }]',
    'list.yaml': '- { id: a, file: b.csv, partner: 9007199254740993 }\n',
    'bad.json': '[\n  { "id": "a", }]',
    'bad.yaml': '- { id: a\n',
    'map.yaml': 'id: a\n',
    'long.yaml': ' '.repeat(10_000_001),
  }
  const read = (path: string) => {
    const text = Object.entries(texts).find(([name]) => path === `/desk/${name}`)?.[1]
    return text === undefined ? undefined : { text }
  }
  const exists = (path: string) => there.includes(path) || read(path) !== undefined || path === '/desk/latin.yaml'
  const from = (...inputs: string[]) => ({ given: ['need=x', ...inputs], exists, read })

  test.each(['[{"id":"a","file":"b.csv","partner":9007199254740993}]', '@list.json', '@list.yaml'])(
    '-i audiences=%s',
    (text) => {
      expect(resolve(from(`audiences=${text}`))).toMatchObject({ audiences: [entry] })
    },
  )

  test('is combined where it is given several times, and comes from triggers too', () => {
    const { audiences } = resolve(from('audiences=@list.json', 'audiences=@list.yaml'))
    expect(audiences).toEqual([entry, entry])
    const values = { need: 'x', audiences: [{ id: 'a', file: '/abs.csv', partner: 1n, cpm: 2n }] }
    expect(resolve({ values })).toMatchObject({ audiences: [{ file: '/abs.csv', partner: 1n, cpm: 2 }] })
  })

  test.each([
    ['audiences=a,b', 'wrong-input', 'the input audiences is not JSON'],
    [
      `audiences=${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      'wrong-input',
      'the input audiences cannot be read: it is nested deeper than 100 levels',
    ],
    ['audiences={"id":"a"}', 'wrong-input', 'the input audiences must be a list'],
    ['audiences=@map.yaml', 'wrong-input', 'the input audiences must be a list'],
    ['audiences=@bad.json', 'wrong-input', 'the input audiences is not JSON'],
    ['audiences=@bad.yaml', 'wrong-input', expect.stringContaining('the input audiences: ')],
    [
      'audiences=@latin.yaml',
      'wrong-input',
      'the file /desk/latin.yaml of the input audiences cannot be read as UTF-8',
    ],
    ['audiences=@long.yaml', 'wrong-input', expect.stringContaining('is longer than 10,000,000 characters')],
    [
      'audiences=@none.yaml',
      'file-not-found',
      expect.stringContaining('the file none.yaml of the input audiences is not there'),
    ],
    ['audiences=[{"id":"a","file":"b.csv"}]', 'wrong-input', 'the input audiences[0].partner is missing'],
    ['audiences=[{"id":"a","file":"b.csv","partner":1,"x":1}]', 'wrong-input', 'the input audiences[0].x is not known'],
    [
      'audiences=[{"id":"a","file":"b.csv","partner":"1"}]',
      'wrong-input',
      'the input audiences[0].partner must be an integer',
    ],
    [
      'audiences=[{"id":"a","file":"b.csv","partner":1},{"id":"b","file":"c.csv","partner":1}]',
      'file-not-found',
      'the file c.csv of the input audiences[1].file is not there, or is a folder: looked for /desk/pipelines/c.csv and /desk/c.csv',
    ],
    [
      'audiences=[{"id":"a","fiel":"b.csv","partner":"1"},{"id":"b","file":"b.csv"},7]',
      'wrong-input',
      'the input audiences has 4 problems: the input audiences[0].fiel is not known (did you mean file?); the input audiences[0].partner must be an integer (write 1 without quotes); the input audiences[1].partner is missing; the input audiences[2] must be a map of id, file, partner, cpm, look',
    ],
    [
      'audiences=[{"id":"a","file":"c.csv","partner":1},{"id":"b","file":"b.csv","partner":1},{"id":"c","file":"d.csv","partner":1}]',
      'file-not-found',
      'the input audiences has 2 problems: the file c.csv of the input audiences[0].file is not there, or is a folder: looked for /desk/pipelines/c.csv and /desk/c.csv; the file d.csv of the input audiences[2].file is not there, or is a folder: looked for /desk/pipelines/d.csv and /desk/d.csv',
    ],
    [
      `audiences=[${Array(12).fill('{}').join()}]`,
      'wrong-input',
      expect.stringMatching(/^the input audiences has 36 problems: .*audiences\[3\]\.id is missing; and 26 more$/),
    ],
    [
      `audiences=[${Array(10_001).fill('1').join()}]`,
      'wrong-input',
      'the input audiences has 10,001 entries; at most 10,000 are allowed',
    ],
  ])('-i %s', (input, code, message) => {
    expect(failure(from(input))).toMatchObject({ code, kind: 'usage', message })
  })

  test('has the place of what is wrong in its file', () => {
    expect(failure(from('audiences=@bad.json'))).toMatchObject({ at: { file: '/desk/bad.json', line: 2, column: 16 } })
    expect(failure(from('audiences=@bad.yaml'))).toMatchObject({ at: { file: '/desk/bad.yaml' } })
  })

  test('has each of its files checked', () => {
    const checked: string[] = []
    resolve({ ...from('audiences=@list.json'), checkFile: (path) => checked.push(path) })
    expect(checked).toContain('/desk/list.json')
    expect(checked).toContain('/desk/b.csv')
  })
})

describe('inputs of a trigger', () => {
  test('are typed, come before defaults and after what a person gives', () => {
    const values = { need: 'x', count: 7n, ratio: 1n, scopes: ['A'], file: '/abs.csv' }
    expect(resolve({ values, given: ['count=8'] })).toMatchObject({
      need: 'x',
      count: 8n,
      ratio: 1,
      scopes: ['A'],
      file: '/abs.csv',
    })
  })

  test('are refused when they have the wrong type', () => {
    expect(failure({ values: { need: 1n } })).toMatchObject({
      code: 'wrong-input',
      message: 'the input need must be a string',
    })
  })
})
