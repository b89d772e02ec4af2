import { describe, expect, it } from 'vitest'
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
  it('are the defaults where nothing is given', () => {
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
    })
  })

  it.each([
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

  it('are collected where a list is given several times', () => {
    expect(given('scopes=A', 'scopes=B,C')).toMatchObject({ scopes: ['A', 'B', 'C'] })
  })

  it.each([
    [['need'], 'malformed-input', '-i need has no value', 'write -i name=value'],
    [[], 'missing-input', 'the pipeline p needs the input need (what it is about)', 'give it: -i need=text'],
    [['need=x', 'cuont=1'], 'unknown-input', 'the pipeline p has no input cuont', 'did you mean count?'],
    [['need=x', 'need=y'], 'repeated-input', '-i need is given 2 times', 'give it once'],
    [['need=x', 'count=1.5'], 'wrong-input', 'the input count must be an integer', undefined],
    [['need=x', 'count=9223372036854775808'], 'wrong-input', 'the input count does not fit 64 bits', undefined],
    [['need=x', 'ratio=0x10'], 'wrong-input', 'the input ratio must be a number', undefined],
    [['need=x', 'dry=yes'], 'wrong-input', 'the input dry must be true or false', undefined],
    [['need=x', 'day=2026-02-30'], 'wrong-input', 'the input day must be a date such as 2026-01-31', undefined],
    [['need=x', 'signal=EMIAL'], 'wrong-input', 'the input signal must be one of EMAIL, IDFA', 'did you mean EMAIL?'],
    [['need=x', 'ids=1,two'], 'wrong-input', 'the input ids has a wrong item two: it must be an integer', undefined],
    [
      ['need=x', 'file=c.csv'],
      'file-not-found',
      'the file c.csv of the input file does not exist: looked for /desk/pipelines/c.csv and /desk/c.csv',
      'give another: -i file=path/to/file',
    ],
  ])('-i %j: %s', (inputs, code, message, hint) => {
    expect(failure({ given: inputs })).toMatchObject({ code, kind: 'usage', message, hint })
  })

  it('looks for a default in the folder of the document only', () => {
    const sources = { given: ['need=x'], exists: (path: string) => path === '/desk/data/a.csv' }
    expect(failure(sources)).toMatchObject({
      code: 'file-not-found',
      message: 'the file data/a.csv of the input file does not exist: looked for /desk/pipelines/data/a.csv',
      at: { file: 'pipelines/p.yaml', line: 12 },
    })
  })
})

describe('inputs of a trigger', () => {
  it('are typed, come before defaults and after what a person gives', () => {
    const values = { need: 'x', count: 7n, ratio: 1n, scopes: ['A'], file: '/abs.csv' }
    expect(resolve({ values, given: ['count=8'] })).toMatchObject({
      need: 'x',
      count: 8n,
      ratio: 1,
      scopes: ['A'],
      file: '/abs.csv',
    })
  })

  it('are refused when they have the wrong type', () => {
    expect(failure({ values: { need: 1n } })).toMatchObject({
      code: 'wrong-input',
      message: 'the input need must be a string',
    })
  })
})
