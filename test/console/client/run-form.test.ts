import { expect, test } from 'vitest'
import { formRows, startEntry } from '../../../src/console/client/pages/run-form/entries.ts'
import { stepPlan } from '../../../src/console/client/pages/run-form/plan-text.ts'
import { exactJson, readFormInputs } from '../../../src/console/client/pages/run-form/read-form-inputs.ts'
import { readImportedRows } from '../../../src/console/client/pages/run-form/read-imported-rows.ts'

const FIELDS = [
  { name: 'file', type: 'file', required: true },
  { name: 'groupId', type: 'integer', required: false, default: 9001 },
  { name: 'note', type: 'string', required: false, default: '' },
]
const AUDIENCES = { name: 'audiences', type: 'list', required: true, fields: FIELDS }

test('what is typed becomes inputs; defaults are left to the document', () => {
  const inputs = [
    { name: 'count', type: 'integer', required: false, default: 5 },
    { name: 'big', type: 'integer', required: true },
    { name: 'share', type: 'boolean', required: true },
    { name: 'ids', type: 'list', required: true },
    { name: 'partners', type: 'list', required: true, items: 'integer' },
    { name: 'rows', type: 'list', required: true },
    { name: 'name', type: 'string', required: true },
  ]
  const texts = {
    count: '5',
    big: '9007199254740993',
    share: 'true',
    ids: 'a\n b \n',
    partners: '2001\n2003',
    rows: '[{"x":9007199254740993}]',
    name: '',
  }
  expect(readFormInputs(inputs, texts)).toEqual({
    values: {
      big: '9007199254740993',
      share: true,
      ids: ['a', 'b'],
      partners: [2001, 2003],
      rows: [{ x: '9007199254740993' }],
      name: '',
    },
    wrong: {},
  })
  expect(readFormInputs(inputs, { ...texts, count: 'many', big: '', rows: '[1' }).wrong).toMatchObject({
    count: 'count has to be a whole number',
    big: 'big is required',
    rows: expect.stringContaining('rows is not JSON'),
  })
})

test('rows become objects; an empty field is left to its default, and what is wrong is named with its place', () => {
  const read = (...texts: Record<string, string>[]) => readFormInputs([AUDIENCES], { audiences: formRows(texts) })
  expect(read({ file: 'a.csv', groupId: '9007199254740993', note: '' }, { file: 'b.csv' })).toEqual({
    values: { audiences: [{ file: 'a.csv', groupId: '9007199254740993' }, { file: 'b.csv' }] },
    wrong: {},
  })
  expect(read({ file: 'a.csv' }, { file: ' ', groupId: 'x' }).wrong).toEqual({
    'audiences[1].file': 'file is required',
    'audiences[1].groupId': 'groupId has to be a whole number',
  })
  expect(read().wrong).toEqual({ audiences: 'audiences needs at least one row' })
})

test('rows that are the default are left to the document', () => {
  const optional = { ...AUDIENCES, required: false, default: [{ file: 'a.csv', groupId: 7 }] }
  const start = startEntry(optional)
  expect(start).toEqual([{ id: 0, texts: { file: 'a.csv', groupId: '7' } }])
  expect(readFormInputs([optional], { audiences: start }).values).toEqual({})
  expect(readFormInputs([optional], { audiences: [] }).values).toEqual({ audiences: [] })
})

test.each([
  ['JSON', '[{"file":"a.csv","groupId":9007199254740993},{"file":"b.csv"}]'],
  ['CSV', 'file,groupId\r\na.csv,9007199254740993\r\n\r\nb.csv\r\n'],
  ['CSV with semicolons and a mark of its order of bytes', '\uFEFFfile;groupId\na.csv;9007199254740993\nb.csv'],
  ['CSV with tabs and quotes', '"file"\tgroupId\n"a.csv"\t9007199254740993\nb.csv'],
])('%s has the rows of a list', (_kind, text) => {
  const rows = readImportedRows(text, FIELDS)
  expect(rows.map(({ file, groupId = '' }) => [file, groupId])).toEqual([
    ['a.csv', '9007199254740993'],
    ['b.csv', ''],
  ])
})

test('a value in quotes may hold separators, quotes and lines', () => {
  expect(readImportedRows('file,note\na.csv,"one, ""two""\nthree"\n', FIELDS)).toEqual([
    { file: 'a.csv', note: 'one, "two"\nthree' },
  ])
})

test.each([
  ['', 'it has no rows'],
  ['file\n', 'it has no rows'],
  ['[1]', 'row 1 is not an object'],
  ['[{"file":1}', /JSON/],
  ['path\na.csv', 'there is no field path; the fields are file, groupId, note'],
  ['file\na,b', 'row 1 has 2 values for 1 names'],
  ['file\n"a', 'line 2 has a quote that does not belong there'],
  [`file\n${'a\n'.repeat(10_001)}`, 'it has 10,001 rows; a run takes at most 10,000'],
])('%j is refused', (text, message) => {
  expect(() => readImportedRows(text, FIELDS)).toThrow(message)
})

test('JSON keeps all digits of integers', () => {
  expect(exactJson('[9007199254740993, 12, 1e300, "9007199254740993"]')).toEqual([
    '9007199254740993',
    12,
    1e300,
    '9007199254740993',
  ])
})

test('a planned step has the fields that it changes with both values, and the figures of its list', () => {
  const step = {
    ...{ id: 'segment', uses: 'segments.ensure', action: 'refresh', why: 'its file is another' },
    changed: ['segmentName', 'shareWith', 'segment'],
    changes: [
      { field: 'segmentName', from: 'Tick', to: 'Tick tock' },
      { field: 'shareWith', from: [2001], to: [2001, 2002] },
      { field: 'cpm', to: 2 },
    ],
    list: { rows: 5201, keys: 5195, added: 1204, removed: 88 },
    requests: [{ method: 'PUT', path: '/api/segments/1' }],
  }
  expect(stepPlan(step)).toMatchObject({
    why: 'its file is another; changes segment',
    changes: [
      'segmentName: "Tick" → "Tick tock"',
      'shareWith: [2001] → [2001,2002]',
      'cpm: not known → 2',
      'list: 5,201 rows, 5,195 people, 1,204 added, 88 gone',
    ],
    requests: ['PUT /api/segments/1'],
  })
})
