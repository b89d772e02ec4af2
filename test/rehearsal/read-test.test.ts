import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/core/diagnostic.ts'
import { InvalidDocumentError } from '../../src/core/errors.ts'
import { readTest } from '../../src/rehearsal/read-test.ts'
import { RUN_ERROR_CODES } from '../../src/rehearsal/run-error-codes.ts'
import { tries } from '../support/tries.ts'
import { deps, load, WHOLE } from './fixtures.ts'

const FILE = '/project/pipelines/nightly.test.yaml'

test('a test document with everything in it is read', () => {
  const document = readTest({ text: WHOLE, file: FILE }, deps)
  expect(document).toMatchObject({
    file: FILE,
    pipeline: '/project/pipelines/nightly.yaml',
    given: {
      from: Date.UTC(2026, 9, 20),
      profile: 'staging',
      env: { TOKEN: 'abc' },
      service: { latencies: 'realistic', network: '/project/network.yaml' },
    },
  })
  expect([...document.given.files]).toEqual([
    ['data/list.csv', { people: 5200, others: 156, signal: 'EMAIL', seed: 7 }],
    ['data/notes.txt', { text: 'plain\n' }],
    ['data/other.csv', { copy: '/project/pipelines/data/kept.csv' }],
  ])
  const [{ it, at, events }] = document.tests as [(typeof document.tests)[0]]
  expect({ it, at }).toEqual({ it: 'does everything', at: { file: FILE, line: 12, column: 9, length: 15 } })
  expect(events.map(({ act }) => act)).toEqual([
    { kind: 'run', inputs: { group: 9007199254740993n, minimum: 5n } },
    { kind: 'nights', count: 14 },
    { kind: 'nights', count: 1 },
    { kind: 'slot', trigger: undefined },
    { kind: 'slot', trigger: 'night' },
    { kind: 'wait', ms: 10_800_000 },
    { kind: 'drop', files: new Map([['inbox/a.csv', { people: 4, others: 0, signal: 'IP', seed: undefined }]]) },
    { kind: 'decide', step: 'each[1].ask', by: undefined, decision: 'approved' },
    { kind: 'decide', step: 'match', by: undefined, decision: 'rejected' },
    { kind: 'partner', does: 'fail', step: 'match' },
    { kind: 'retry', from: undefined },
    { kind: 'retry', from: 'ask' },
    { kind: 'cancel' },
    { kind: 'nothing' },
    { kind: 'run', inputs: { group: 1n } },
    { kind: 'decide', step: 'each[0].ask', by: 'anna', decision: 'approved' },
    { kind: 'nothing' },
  ])
  expect(events[0]).toMatchObject({
    at: { line: 14, column: 9 },
    faults: [{ operation: 'jobs.get', action: 'status', status: 500, times: 2 }],
    kill: { when: 'after', operation: 'segments.create' },
    expect: {
      at: { line: 17, column: 9, length: 6 },
      status: 'waiting',
      held: 'each[0].ask',
      runs: { succeeded: 1, waiting: 2 },
      outputs: { matchCount: 9007199254740993n, about: 12 },
      writes: { 'segments.create': 1, 'matches.create': 0 },
      notified: { ops: ['approval', 'answered'] },
      sent: [{ url: 'https://example.com/', body: { text: 'hello', n: 3 } }],
      live: { segments: 1 },
    },
  })
  expect(events[0]!.expect.check).toHaveLength(3)
  expect([...events[1]!.change]).toEqual([
    ['data/list.csv', { people: 10, others: 0, signal: 'EMAIL', seed: undefined }],
    ['data/notes.txt', undefined],
  ])
  expect(events[6]!.expect).toMatchObject({ error: { code: 'job-failed' }, sent: 2 })
  expect(events[7]!.expect).toMatchObject({ error: { step: 'match' }, status: undefined, writes: undefined })
  expect(events[14]!.expect.plan).toEqual({ create: 3, leave: 1 })
  expect(events[16]!.expect.at).toMatchObject({ line: 49, column: 9 })
})

test.each([
  ['2026-10-25T01:30:00+02:00', Date.UTC(2026, 9, 24, 23, 30)],
  ['2026-10-25T01:30Z', Date.UTC(2026, 9, 25, 1, 30)],
])('it begins at %s', (from, ms) => {
  expect(load(WHOLE.replace('2026-10-20', from)).test?.given.from).toBe(ms)
})

test.each([
  ['refresh', ''],
  ['refresh/match', ''],
  ['refresh/each[1].ask', ''],
  ['region[a/b].nested', ''],
  ['region[a/b].nested/each[0].ask', ''],
  ['computed/whatever', ''],
  ['refreh/match', 'the pipeline above has no step refreh (did you mean refresh?)'],
  ['refresh/mtch', 'the pipeline nightly has no step mtch (did you mean match?)'],
  ['refresh/ask', 'the pipeline nightly has no step ask (it is inside the forEach each: write each[KEY].ask)'],
  ['refresh/match/more', 'step match does not run a pipeline (write match)'],
])('a step of a pipeline that a step runs is named by both: %s', (name, problem) => {
  const text = `test: above.yaml\ngiven: { from: 2026-10-20 }\ntests:\n  - it: asks\n    do:\n      - approve: ${name}\n        expect: { held: "${name}" }\n`
  const problems = load(text).diagnostics.map(({ message, hint }) => `${message} (${hint})`)
  expect([...new Set(problems)]).toEqual(problem === '' ? [] : [problem])
})

/** Each replaced line of the whole document, the new text, and the problem: its position, code, message and repair. */
const PROBLEMS: readonly [was: string | RegExp, now: string, problem: string][] = [
  [
    'test: nightly.yaml',
    'test: nightli.yaml',
    '1:7 missing-pipeline there is no pipeline at nightli.yaml (did you mean nightly.yaml?)',
  ],
  [
    'test: nightly.yaml',
    'test: broken.yaml',
    '1:7 invalid-pipeline broken.yaml is not valid: 1 error (audience validate pipelines/broken.yaml)',
  ],
  [
    'test: nightly.yaml',
    'test: /etc/passwd',
    '1:7 file-not-allowed /etc/passwd is an absolute path (name it relative to its folder: a test runs on any machine)',
  ],
  [
    'test: nightly.yaml',
    'test: ../../x.yaml',
    '1:7 file-not-allowed ../../x.yaml is outside the project (the project is /project)',
  ],
  [
    'test: nightly.yaml',
    'pipeline: nightly.yaml',
    '1:1 unknown-key pipeline is not known at the top of a test (write test instead of pipeline)',
  ],
  ['  from: 2026-10-20\n', '', '2:1 missing-key from is missing'],
  ['2026-10-20', '2026-02-30', '3:9 wrong-value there is no day 2026-02-30'],
  [
    '2026-10-20',
    '20.10.2026',
    '3:9 wrong-value from must be a day such as 2026-10-20, or a time with its offset such as 2026-10-20T01:30:00+02:00 (did you mean 2026-10-20?)',
  ],
  [
    '2026-10-20',
    '2026-10-20T02:00',
    '3:9 wrong-value from must be a day such as 2026-10-20, or a time with its offset such as 2026-10-20T01:30:00+02:00 (give its offset: Z or +02:00)',
  ],
  ['2026-10-20', '1999-10-20', '3:9 wrong-value from must be in the years 2000 to 2099'],
  ['people: 5200', 'people: 90001', '5:30 wrong-value people must be at most 90000'],
  [
    '{ people: 5200, others: 3%, seed: 7 }',
    '5200',
    '5:20 wrong-type data/list.csv must be a map or a string (write { people: 5200 })',
  ],
  ['people: 5200', 'peple: 5200', '5:22 unknown-key peple is not known here (did you mean people?)'],
  ['others: 3%', 'others: three', '5:44 wrong-value others must be a count, or a share of the people such as 3%'],
  [
    'data/list.csv: { people: 5200',
    '../../list.csv: { people: 5200',
    '5:5 file-not-allowed ../../list.csv is outside the project (the project is /project)',
  ],
  [
    'data/notes.txt: "plain',
    './data/list.csv: "plain',
    '6:5 duplicate-key ./data/list.csv is the same file as data/list.csv (leave one of them out)',
  ],
  [
    'change: { data/list.csv: { people',
    'change: { data/lsit.csv: { people',
    '31:19 unknown-file no pipeline of this test reads data/lsit.csv (did you mean data/list.csv?)',
  ],
  [
    'copy: data/kept.csv',
    'copy: data/kep.csv',
    '7:29 missing-file there is no file data/kep.csv (did you mean data/kept.csv?)',
  ],
  [
    'copy: data/kept.csv',
    'copy: data/kept.csv, seed: 1',
    '7:44 wrong-value seed is for a made-up list of people, not for a copy (leave seed out)',
  ],
  [
    'copy: data/kept.csv',
    'copy: data/kept.csv, people: 1',
    '7:44 wrong-value only one of people, copy is allowed here (leave people out)',
  ],
  [
    'profile: staging',
    'profile: stagin',
    '8:12 unknown-profile audience.yaml has no profile stagin (did you mean staging?)',
  ],
  ['TOKEN: abc', 'TOKEN: 5', '9:17 wrong-type TOKEN must be a string (quote it)'],
  [
    'TOKEN: abc',
    '"A B": abc',
    '9:10 wrong-name "A B" cannot be the name of an environment variable (use letters, digits and _)',
  ],
  ['realistic', 'real', '10:25 wrong-value latencies must be one of fast, realistic (did you mean realistic?)'],
  [
    '../network.yaml',
    'network.yaml',
    '10:45 missing-file there is no file network.yaml (the path is relative to the folder of this document)',
  ],
  [
    '../network.yaml',
    '../wrong.yaml',
    '10:45 wrong-value ../wrong.yaml is not a valid network (../wrong.yaml:3:1 no participants)',
  ],
  [
    'run: { inputs: { group: 9007199254740993, minimum: 5 } }',
    'run:',
    '14:9 wrong-type run must be a map (write run: {})',
  ],
  [
    'inputs: { group: 9007199254740993, minimum: 5 }',
    'group: 9007199254740993',
    '14:16 unknown-key group is not known here (write it under inputs: { group: … })',
  ],
  ['minimum: 5 } }', 'minimun: 5 } }', '14:51 unknown-input there is no input minimun (did you mean minimum?)'],
  ['minimum: 5 } }', 'minimum: five } }', '14:60 wrong-value minimum must be an integer'],
  [
    'group: 9007199254740993, minimum',
    'minimum',
    '14:14 missing-input run does not give the input group, which has no default',
  ],
  [
    'minimum: 5 } }',
    'minimum: "${{ 5 }}" } }',
    '14:60 expression-not-here expressions are not evaluated here (write the value itself: only check may contain expressions)',
  ],
  [
    'operation: jobs.get',
    'operation: jobs.gett',
    '15:31 wrong-value operation must be one of the 27 known values (did you mean jobs.get?)',
  ],
  ['status: 500, times', 'times', '15:18 broken-rule status is required with the action status'],
  [
    'after: segments.create',
    'after: making',
    '16:24 wrong-value after must be one of the 26 known values (docs/reference/operations.md lists them)',
  ],
  [
    'after: segments.create',
    'after: segments.create, before: jobs.get',
    '16:41 wrong-value only one of before, after is allowed here (leave before out)',
  ],
  [
    'status: waiting',
    'status: succeded',
    '18:19 wrong-value status must be one of queued, running, waiting, succeeded, failed, cancelled (did you mean succeeded?)',
  ],
  [
    'held: each[0].ask',
    'held: ask',
    '19:17 unknown-step the pipeline nightly has no step ask (it is inside the forEach each: write each[KEY].ask)',
  ],
  ['held: each[0].ask', 'held: match[0]', '19:17 unknown-step step match has no forEach (write match)'],
  ['held: each[0].ask', 'held: each[0].aks', '19:17 unknown-step the forEach each has no step aks (did you mean ask?)'],
  ['waiting: 2', 'waitin: 2', '20:33 unknown-key waitin is not known here (did you mean waiting?)'],
  ['about: 12', 'abuot: 12', '21:52 unknown-output the pipeline nightly has no output abuot (did you mean about?)'],
  [
    'segments.create: 1, matches.create: 0',
    'segments.creat: 1',
    '22:21 unknown-key segments.creat is not known here (did you mean segments.create?)',
  ],
  [
    'segments.create: 1, matches.create: 0',
    'segments.get: 1',
    '22:21 unknown-key segments.get is not known here (segments.get only reads: leave it out)',
  ],
  ['ops: [approval', 'opps: [approval', '23:23 unknown-channel audience.yaml has no channel opps (did you mean ops?)'],
  [
    '[approval, answered]',
    '[aproval]',
    /* the list of kinds is long */ '23:29 wrong-value this must be one of failure, partial, ',
  ],
  [
    'live: { segments: 1 }',
    'live: { segment: 1 }',
    '25:19 unknown-key segment is not known here (did you mean segments?)',
  ],
  [
    'run.outputs.matchCount > 1000',
    'run.outputs.matchCont > 1000',
    '27:31 unknown-field matchCont is not an output (did you mean matchCount?)',
  ],
  [
    'run.outputs.matchCount > 1000',
    'outputs.matchCount > 1000',
    '27:19 unknown-name outputs is not known here (write run.outputs)',
  ],
  ['one.status == "succeeded"', 'one.status == "done"', '28:33 expression-type the two sides are never equal'],
  [
    '${{ steps.match.outputs.matchCount == 1 }}',
    '${{ steps.match.outputs.matchCount }}',
    '29:19 expression-type a check must be a boolean, but this is an integer (compare it, for example …  > 0 or … != "")',
  ],
  [
    '${{ steps.match.outputs.matchCount == 1 }}',
    'steps.match.outputs.matchCount == 1',
    '29:15 not-an-expression a check must be one whole expression (write ${{ steps.match.outputs.matchCount == 1 }})',
  ],
  ['steps.match.outputs', 'steps.matc.outputs', '29:25 unknown-step there is no step matc (did you mean match?)'],
  ['nights: 14', 'nights: 401', '30:17 wrong-value nights must be at most 400'],
  [
    'nights: 14',
    'nights: 14\n        night: true',
    '31:9 wrong-value an event is one thing: nights or night (begin another event with a dash)',
  ],
  ['nights: 14', 'night: 14', '30:16 wrong-value night must be true'],
  ['nights: 14', 'nigths: 14', '30:9 unknown-key nigths is not known here (did you mean nights?)'],
  ['slot: true', 'slot: false', '33:15 wrong-value slot must be true (leave slot out)'],
  ['slot: night', 'slot: nigt', '34:15 unknown-trigger the pipeline nightly has no trigger nigt (did you mean night?)'],
  ['slot: night', 'slot: drop', '34:15 unknown-trigger the trigger drop watches files (drop a file into its folder)'],
  [
    'wait: 3h',
    'wait: 3 hours',
    '35:15 wrong-value wait must be a duration such as 500ms, 30s, 15m, 2h or 7d (write 3h)',
  ],
  ['wait: 3h', 'wait: 401d', '35:15 wrong-value wait must be at most 400d'],
  [
    'inbox/a.csv',
    'inbx/a.csv',
    '36:17 unknown-trigger no trigger watches the folder of inbx/a.csv (watched here: inbox; write files for other folders under change)',
  ],
  [
    'error: job-failed',
    'error: Job failed',
    '37:26 wrong-value error must be the code of an error such as job-failed, or a map',
  ],
  [
    'error: job-failed',
    'error: job-faild',
    '37:26 wrong-value no run fails with the code job-faild (did you mean job-failed?)',
  ],
  [
    'error: job-failed',
    'error: { code: guards-breached }',
    `37:34 wrong-value code must be one of the ${RUN_ERROR_CODES.length} known values (did you mean guard-breached?)`,
  ],
  ['create: 3', 'crate: 3', '47:27 unknown-key crate is not known here (did you mean create?)'],
  [
    '      - run: { inputs: { group: 1 } }\n',
    '      - night: true\n',
    '47:25 missing-input the plan lacks the input group, which has no default (expect it in an event with run: { inputs: { … } })',
  ],
  ['by: anna', 'by: berta', '48:45 wrong-value berta is not among the approvers of each[0].ask (did you mean bert?)'],
  ['{ step: "each[0].ask", by: anna }', '{ by: anna }', '48:9 missing-key step is missing'],
  [
    'approve: each[1].ask',
    'approve: approval',
    '38:18 unknown-step the pipeline nightly has no step approval (known here: upload, each, match)',
  ],
  ['partner: { fail: match }', 'partner: {}', '41:18 missing-key one of approve, reject, fail is required here'],
  [
    '      - expect: {}\n',
    '      - {}\n',
    '49:9 missing-key nothing happens in this event (begin with one of run, night, nights, slot, wait, drop, approve, reject, partner, retry, cancel)',
  ],
  [
    '      - expect: {}\n',
    '      - expect: {}\n        kill: { after: jobs.get }\n',
    '50:15 wrong-value nothing happens in this event that a kill could interrupt (write it in an event that sends the request, such as run or night)',
  ],
  [
    '      - expect: {}\n',
    '      - expect: {}\n  - it: does everything\n    do: [{ cancel: true }]\n',
    '50:9 duplicate-id there are two tests "does everything" (say what this one shows)',
  ],
]

describe('each problem has its place, and a repair where there is one', () => {
  test.each(PROBLEMS)('%s → %s', (was, now, wanted) => {
    const text = WHOLE.replace(was, () => now)
    expect(text).not.toBe(WHOLE)
    expect(load(text).diagnostics.map(shown)).toContainEqual(expect.stringContaining(wanted))
  })
})

test('a mistake is one problem', () => {
  const several = PROBLEMS.flatMap(([was, now]) => {
    const { diagnostics } = load(WHOLE.replace(was, () => now))
    return diagnostics.length === 1 ? [] : [diagnostics.map(shown)]
  })
  expect(several).toEqual([])
})

test('without a schedule there is no slot, and without a watch nothing to drop', () => {
  const events = 'tests: [{ it: a, do: [{ slot: true }, { drop: { a.csv: x } }] }]'
  const { diagnostics } = load(`test: quiet.yaml\ngiven: { from: 2026-10-20 }\n${events}\n`)
  expect(diagnostics.map(({ message }) => message)).toEqual([
    'the pipeline quiet has no schedule',
    'the pipeline quiet watches no folder',
  ])
})

test('without a configuration channels are not checked', () => {
  const text = WHOLE.replace('ops:', 'anybody:')
  const source = { text, file: FILE }
  expect(() => readTest(source, { ...deps, channels: undefined })).not.toThrow()
  expect(() => readTest(source, deps)).toThrow(InvalidDocumentError)
})

test.each([
  ['', 'empty-document'],
  ['- a\n', 'wrong-type'],
  ['test: [', 'yaml-syntax'],
])('%j is no test', (text, code) => {
  expect(load(text).diagnostics.map((each) => each.code)).toEqual([code])
})

/** More tests, events and files than a person writes are refused quickly. */
test.each([
  ['tests', `tests:\n${'  - { it: a, do: [{ cancel: true }] }\n'.repeat(201)}`, 'at most 200 items'],
  ['events', `tests:\n  - it: a\n    do:\n${'      - cancel: true\n'.repeat(201)}`, 'at most 200 items'],
])('too many %s', (_, tests, message) => {
  const { diagnostics } = load(`test: nightly.yaml\ngiven: { from: 2026-10-20 }\n${tests}`)
  expect(diagnostics.map((each) => each.message)).toContainEqual(expect.stringContaining(message))
})

describe('any document', () => {
  const RUNS = tries(300, 5000)
  /** Many repairs are tried for each broken text. */
  const TEXTS = tries(50, 5000)
  const fragments = fc.constantFrom(
    ...[
      '${{ ',
      ' }}',
      '{',
      '}',
      '[',
      ']',
      ': ',
      '- ',
      '\n',
      '\n  ',
      '\t',
      '"',
      "'",
      '#',
      '&a ',
      '*a',
      '<<: ',
      '!!str ',
    ],
    ...['|', '? ', ',', '012', '.nan', 'null', '~', '---\n', '\r\n', '\uFEFF', '\0', '../', '/', '%', '-1', '1e999'],
    ...[
      '__proto__',
      'constructor',
      'toString',
      'run: ',
      'night: ',
      'drop: ',
      'expect: ',
      'check: ',
      'people: ',
      'copy: ',
    ],
  )
  const edit = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 30 }),
    insert: fc.oneof(fragments, fc.string({ maxLength: 5 })),
  })

  test('is read without a throw, and every problem has its place in it', () => {
    const edited = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
      edits.reduce((text, { at, remove, insert }) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + insert + text.slice(place + remove)
      }, WHOLE),
    )
    fc.assert(fc.property(edited, holds), { numRuns: TEXTS })
  })

  test('of any values under the keys that it knows', () => {
    const key = fc.constantFrom(
      ...[
        'test',
        'given',
        'tests',
        'it',
        'do',
        'from',
        'files',
        'env',
        'service',
        'profile',
        'people',
        'others',
        'copy',
      ],
      ...['run', 'inputs', 'nights', 'slot', 'wait', 'drop', 'approve', 'partner', 'fail', 'retry', 'change', 'faults'],
      ...[
        'kill',
        'after',
        'expect',
        'held',
        'error',
        'outputs',
        'writes',
        'notified',
        'sent',
        'live',
        'check',
        'toString',
      ],
    )
    const leaf = fc.oneof(
      fc.constantFrom(
        'nightly.yaml',
        '2026-10-20',
        'match',
        '3h',
        '3%',
        '${{ run.status }}',
        1,
        true,
        null,
        -1,
        1.5,
        2 ** 60,
      ),
      fc.string({ maxLength: 10 }),
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 6 }),
      ),
    }))
    const document = fc
      .record({
        test: fc.constant('nightly.yaml'),
        given: value,
        tests: fc.array(fc.record({ it: leaf, do: fc.array(value, { maxLength: 3 }) }), { maxLength: 2 }),
      })
      .map((content) => JSON.stringify(content, null, 1))
    fc.assert(fc.property(document, holds), { numRuns: RUNS })
  })

  test('with other line ends: the same problems at the same places', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PROBLEMS), ([was, now]) => {
        const text = WHOLE.replace(was, () => now)
        expect(load(text.replaceAll('\n', '\r\n')).diagnostics).toEqual(load(text).diagnostics)
      }),
    )
  })

  function holds(text: string): void {
    const { test: read, diagnostics } = load(text)
    const lines = text.replace(/^\uFEFF/, '').split('\n')
    const isGood = ({ at, code, message, hint }: Diagnostic): boolean => {
      const { file, line = 0, column = 0, length = 0 } = at ?? {}
      const columns = lines[line - 1]?.length ?? -1
      return (
        file === FILE &&
        column >= 1 &&
        column <= columns + 1 &&
        column - 1 + length <= columns &&
        /^[a-z0-9]+(-[a-z0-9]+)*$/.test(code) &&
        message !== '' &&
        !/undefined|NaN|\[object|\[native/.test(`${message} ${hint ?? ''}`)
      )
    }
    expect(diagnostics.filter((each) => !isGood(each))).toEqual([])
    expect(read === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
  }
})

function shown({ at, code, message, hint }: Diagnostic): string {
  return `${at?.line}:${at?.column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`
}
